// A sortable table with groups of rows. Columns: {key, label, title, number, width, value(row), fill(cell, row)}.

// Order by a column; rows without a value come last either way, equal values keep their order. By a number, partial rows
// (which cover easier or fewer languages) come after all others.
const collator = new Intl.Collator('en');

function sorted(rows, column, direction) {
  const sign = direction === 'ascending' ? 1 : -1;
  const decorated = rows.map((row, place) => [column.value(row), place, row]);
  const missing = (value) => value === null || value === undefined || Number.isNaN(value);
  decorated.sort(([a, i], [b, j]) => {
    if (missing(a) || missing(b)) return missing(a) - missing(b) || i - j;
    if (column.number && Boolean(rows[i].partial) !== Boolean(rows[j].partial)) return rows[i].partial ? 1 : -1;
    const order = column.number ? a - b : collator.compare(String(a), String(b));
    return sign * order || i - j;
  });
  return decorated.map(([, , row]) => row);
}

function headerCell(column, sort, onsort) {
  const active = sort.key === column.key;
  const cell = h('th', { scope: 'col', class: `${column.number ? 'number ' : ''}${column.key}`,
    'aria-sort': active ? sort.direction : column.fixed ? null : 'none' });
  if (column.fixed) {
    append(cell, [column.label]);
    return cell;
  }
  cell.append(h('button', { type: 'button', title: column.title, 'data-sort': column.key,
    onclick: () => onsort(column) }, h('span', {}, column.label),
  h('span', { class: 'arrow', 'aria-hidden': 'true' }, active ? (sort.direction === 'ascending' ? '↑' : '↓') : '')));
  return cell;
}

function nextSort(sort, column) {
  const first = column.number ? 'descending' : 'ascending';
  if (sort.key !== column.key) return { key: column.key, direction: first };
  return { key: column.key, direction: sort.direction === 'ascending' ? 'descending' : 'ascending' };
}

const FIRST_ROWS = 40;
const MORE_ROWS = 120;

// groups: [{label, note, rows, sorted, rowClass(row, place, rows)}]; label null for a table without groups.
// What fits on a screen is there at once, further rows follow frame by frame; `data-complete` marks the end.
function buildTable({ caption, columns, groups, sort, onsort, className }) {
  const table = h('table', { class: className || '' }, h('caption', { class: 'sr' }, caption), columnWidths(columns),
    h('thead', {}, h('tr', {}, columns.map((column) => headerCell(column, sort, onsort)))));
  table.style.setProperty('min-width', `${sum(columns.map((column) => column.width || 5))}rem`);
  const column = columns.find((one) => one.key === sort.key) || columns[0];
  const lines = groups.flatMap((group) => groupLines(group, columns, group.sorted ? group.rows : sorted(group.rows, column, sort.direction)));
  let body = null;
  let done = 0;
  const addUntil = (end) => {
    for (; done < Math.min(end, lines.length); done += 1) {
      const { opens, make } = lines[done];
      if (opens || !body) { body = h('tbody'); table.append(body); }
      body.append(make());
    }
    if (done === lines.length) table.dataset.complete = 'yes';
  };
  const later = () => {
    if (done === lines.length || !table.isConnected) return;
    addUntil(done + MORE_ROWS);
    requestAnimationFrame(() => setTimeout(later));
  };
  addUntil(FIRST_ROWS);
  requestAnimationFrame(() => setTimeout(later));
  // Wide tables scroll sideways on a phone; the box takes the focus so that the keyboard can scroll it.
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption }, table);
}

// Fixed widths, in rem: columns stay where they are when rows change. The row header takes what is left.
function columnWidths(columns) {
  return h('colgroup', {}, columns.map((column) => {
    const col = h('col');
    if (!column.rowHeader) col.style.setProperty('width', `${column.width || 5}rem`);
    return col;
  }));
}

function groupLines(group, columns, rows) {
  const lines = rows.map((row, place) => ({ opens: place === 0 && !group.label, make: () => bodyLine(group, columns, row, place, rows) }));
  if (!group.label) return lines;
  return [{ opens: true, make: () => h('tr', { class: 'group' }, h('th', { scope: 'rowgroup', colspan: columns.length },
    h('div', {}, h('span', { class: 'group-name' }, group.label), h('span', { class: 'group-note' }, group.note || '')))) }, ...lines];
}

function bodyLine(group, columns, row, place, rows) {
  const line = document.createElement('tr');
  if (group.rowClass) line.className = group.rowClass(row, place, rows);
  for (const column of columns) {
    const cell = document.createElement(column.rowHeader ? 'th' : 'td');
    if (column.rowHeader) cell.scope = 'row';
    cell.className = `${column.number ? 'number ' : ''}${column.key}`;
    column.fill(cell, row);
    line.append(cell);
  }
  return line;
}

// Keep the focus where it was after a redraw: the n-th focusable control with the same mark.
function redraw(container, node) {
  const active = document.activeElement;
  const mark = container.contains(active) ? active.getAttribute('data-sort') : null;
  const boxed = container.contains(active) && active.classList.contains('scroll');
  const scroll = container.querySelector('.scroll');
  const left = scroll ? scroll.scrollLeft : 0;  // read before the page is changed: no layout in between
  container.replaceChildren(node);
  const box = container.querySelector('.scroll');
  if (box && left) box.scrollLeft = left;
  if (mark) container.querySelector(`[data-sort="${CSS.escape(mark)}"]`)?.focus();
  else if (boxed) box?.focus();
}
