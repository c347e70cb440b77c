// Making elements. Text only ever enters the page as text nodes; no markup is parsed.

function h(tag, properties, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'class') node.className = value;
    else if (name === 'checked' || name === 'value' || name === 'selected') node[name] = value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  append(node, children);
  return node;
}

function append(node, children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
}

// Names from submissions may mix writing directions; <bdi> keeps them from reordering what stands beside them.
function named(text) {
  return h('bdi', {}, text);
}

function hidden(text) {
  return h('span', { class: 'sr' }, text);
}

function percent(share, digits = 1) {
  return share === null || share === undefined || Number.isNaN(share) ? '–' : (100 * share).toFixed(digits);
}

function signed(share) {
  if (share === null || share === undefined || Number.isNaN(share)) return '–';
  const text = (100 * Math.abs(share)).toFixed(1);
  return text === '0.0' ? '0.0' : (share < 0 ? '−' : '+') + text;
}

function range(low, high, format = percent) {
  return low === null || low === undefined ? '' : `${format(low)} to ${format(high)}`;
}

function plural(count, word) {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

// A radio group that looks like one control: arrow keys move, as everywhere.
function segmented(legend, name, options, chosen, onchoose) {
  return h('fieldset', { class: 'segmented' }, h('legend', {}, legend),
    h('div', {}, options.map(([value, label, title]) =>
      h('label', { title }, h('input', { type: 'radio', name, value, checked: value === chosen,
        onchange: () => onchoose(value) }), h('span', {}, label)))));
}

function dropdown(label, name, options, chosen, onchoose, className = '') {
  const select = h('select', { name, onchange: () => onchoose(select.value) },
    options.map(([value, text]) => h('option', { value, selected: value === chosen }, text)));
  return h('label', { class: `field ${className}` }, h('span', {}, label), select);
}

function searchBox(label, value, placeholder, oninput, onenter) {
  const input = h('input', { type: 'search', value, placeholder, autocomplete: 'off', spellcheck: 'false',
    oninput: () => oninput(input.value),
    onkeydown: (event) => { if (event.key === 'Enter' && onenter) onenter(); } });
  return h('label', { class: 'field search' }, h('span', {}, label), input);
}

// Further filters: always there on a wide page, folded away on a narrow one unless in use.
function foldable(inUse, ...children) {
  return h('details', { class: 'more', open: inUse || matchMedia('(min-width: 44.01rem)').matches },
    h('summary', {}, 'Search and filter'), h('div', { class: 'row' }, ...children));
}

// An interval on a common axis: a band from low to high, a bar at the value (a ring without interval), a tick at `mark`.
function strip(value, low, high, axis, mark) {
  const node = h('span', { class: 'strip', 'aria-hidden': 'true' });
  const at = (share) => `${Math.max(0, Math.min(100, 100 * (share - axis[0]) / (axis[1] - axis[0] || 1)))}%`;
  if (mark !== undefined && mark > axis[0] && mark < axis[1]) {
    const tick = h('i', { class: 'tick' });
    tick.style.setProperty('left', at(mark));
    node.append(tick);
  }
  if (low !== null && low !== undefined) {
    const line = h('i', { class: 'line' });
    line.style.setProperty('left', at(low));
    line.style.setProperty('right', `calc(100% - ${at(high)})`);
    node.append(line);
  }
  if (value !== null && value !== undefined) {
    const dot = h('i', { class: low === null || low === undefined ? 'dot open' : 'dot' });
    dot.style.setProperty('left', at(value));
    node.append(dot);
  }
  return node;
}

// Shade of a heat-map cell: 50 is a coin toss, above it cool, below it warm.
function shade(cell, share) {
  cell.classList.add('heat');
  if (share === null || share === undefined) return cell;
  const distance = Math.min(1, Math.abs(share - 0.5) * 2);
  cell.classList.add(share < 0.5 ? 'warm' : 'cool');
  cell.style.setProperty('--v', `${Math.round(60 * distance)}%`);
  return cell;
}
