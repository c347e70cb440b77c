// One model: facts, data-set scores, length, and a heat map of its languages.

function viewModel(id, given) {
  const entry = BOARD.entryById.get(id);
  if (!entry) return notFound(`No model ${id}`, [], 'All models');
  const names = BOARD.datasets.map((dataset) => dataset.name).filter((name) => entry.data[name]);
  const mapped = names.filter((name) => entry.data[name].tacc || entry.data[name].macro);
  const defaults = { data: mapped[0] || names[0], sort: 'macro', dir: 'descending', q: '' };
  const settings = { ...defaults, ...given };
  settings.data = choose(settings.data, mapped, defaults.data);
  return { title: entry.name, node: h('div', {},
    h('p', { class: 'crumb' }, h('a', { href: '#/' }, 'Models')),
    h('div', { class: 'lede' }, h('h1', { tabindex: '-1', class: 'name' }, named(entry.name)),
      h('p', {}, entry.kind === 'published' ? 'Published: figures printed in the ALEE paper.' : 'Verified: computed here from per-triplet outcomes.', ' ',
        h('a', { href: link(['compare', entry.id]) }, 'Compare with another model'))),
    facts(entry), scoresByData(entry, names), lengthSection(entry, names),
    mapped.length ? heatSection(entry, mapped, settings, defaults)
      : h('p', { class: 'note' }, 'Figures per language were not published for this model.'),
    signatures(entry, names)) };
}

function facts(entry) {
  const pairs = entry.facts.map(([label, value]) => h('div', {}, h('dt', {}, label), h('dd', {}, named(value))));
  if (entry.link) pairs.push(h('div', {}, h('dt', {}, 'Page'), h('dd', {}, h('a', { href: entry.link, rel: 'noopener noreferrer' }, named(entry.link.replace(/^https:\/\//, ''))))));
  return pairs.length ? h('dl', { class: 'facts' }, pairs) : null;
}

// What a score depends on: one line per data set, and what its figures lack.
function signatures(entry, names) {
  const lines = names.flatMap((name) => {
    const { signature, without } = entry.data[name];
    return [signature ? h('p', {}, named(signature)) : null, without.length ? h('p', {}, `${name} without ${without.join(', ')}`) : null];
  }).filter(Boolean);
  return lines.length ? h('details', { class: 'signatures' }, h('summary', {}, 'Signatures and gaps'), lines) : null;
}

function scoresByData(entry, names) {
  const blocks = [...(entry.all ? [['All three', entry.all]] : []), ...names.map((name) => [name, entry.data[name]])];
  const axis = axisOf(blocks.flatMap(([, block]) => [block.score[0], block.low?.[0], block.high?.[0]]));
  return h('section', {}, h('h2', {}, 'Scores'), h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Scores per data set' },
    h('table', { class: 'scores' }, h('caption', { class: 'sr' }, 'Scores per data set'),
      h('thead', {}, h('tr', {}, ['Data', 'Score', '95 % interval', ...COLUMNS.slice(1), 'Matched', 'Languages'].map((label, at) =>
        h('th', { scope: 'col', class: at ? (at === 1 ? 'number score' : 'number') : '', title: label === 'Matched' ? 'On sources that have all four foils' : null }, label)))),
      h('tbody', {}, blocks.map(([name, block]) => h('tr', {}, h('th', { scope: 'row' }, name),
        h('td', { class: 'number score' }, h('b', {}, percent(block.score[0])), strip(block.score[0], block.low?.[0], block.high?.[0], axis, 0.5)),
        h('td', { class: 'number' }, range(block.low?.[0], block.high?.[0])),
        COLUMNS.slice(1).map((_, at) => shade(h('td', { class: 'number', title: range(block.low?.[at + 1], block.high?.[at + 1]) || null }, percent(block.score[at + 1])), block.score[at + 1])),
        h('td', { class: 'number' }, percent(block.matched)), h('td', { class: 'number' }, block.languages ? `${block.languages}${block.languages < block.total ? ` / ${block.total}` : ''}` : '–')))))));
}

function lengthSection(entry, names) {
  const shown = names.filter((name) => entry.data[name].bins?.some((value) => value !== null));
  if (!shown.length) return null;
  return h('section', {}, h('h2', {}, 'Length'), h('div', { class: 'bins' }, shown.map((name) => {
    const { bins } = entry.data[name];
    const dataset = BOARD.datasetByName.get(name);
    const [first, last] = [bins[0], bins[bins.length - 1]];
    const drop = first && last !== null ? (first - last) / first : null;
    return h('figure', {}, h('figcaption', {}, h('b', {}, dataset.label), ` by ${dataset.binTitle}`,
      drop === null ? '' : `, ${percent(Math.abs(drop))} % ${drop >= 0 ? 'lower' : 'higher'} from first to last`),
    h('dl', {}, dataset.bins.map((label, at) => {
      const bar = h('span', { class: 'fill', 'aria-hidden': 'true' });
      bar.style.setProperty('--w', `${100 * (bins[at] || 0)}%`);
      return h('div', {}, h('dt', {}, label), h('dd', {}, h('span', { class: 'track', 'aria-hidden': 'true' }, bar), h('span', { class: 'figure' }, percent(bins[at]))));
    })));
  })));
}

function heatSection(entry, mapped, settings, defaults) {
  const result = h('div');
  const overview = h('div');
  const status = h('p', { class: 'status', role: 'status' });
  let rows = [];
  const change = (changes) => {
    Object.assign(settings, changes);
    replaceHash(link(['model', entry.id], settings, defaults));
    draw();
  };

  function draw() {
    const dataset = BOARD.datasetByName.get(settings.data);
    const block = entry.data[settings.data];
    const all = dataset.keys.flatMap((name, key) => {
      const found = figures(block, key);
      return found ? [{ name, key, language: BOARD.languages[dataset.language[key]], label: keyLabel(dataset, key), ...found }] : [];
    });
    overview.replaceChildren(mosaic(all));
    rows = all.filter((row) => matchesLanguage(row.language, settings.q) || row.label.toLowerCase().includes(settings.q.trim().toLowerCase()));
    const axis = axisOf(rows.flatMap((row) => [row.score[0], row.low[0], row.high[0]]));
    const columns = [
      { key: 'name', label: 'Language', width: 10.5, rowHeader: true, value: (row) => row.label, fill: (cell, row) => {
        cell.append(h('a', { href: link(['language', row.language.code], { at: `${settings.data}:${row.name}` }) }, row.label), h('span', { class: 'sub' }, row.name)); } },
      { key: 'tier', label: 'Resources', width: 8, number: true, value: (row) => BOARD.tiers.findIndex((tier) => tier.id === row.language.tier), fill: (cell, row) => { cell.textContent = tierLabel(row.language.tier); } },
      { key: 'macro', label: 'Score', width: 9.5, number: true, value: (row) => row.score[0], fill: (cell, row) => {
        cell.append(h('b', {}, percent(row.score[0])), strip(row.score[0], row.low[0], row.high[0], axis, 0.5)); } },
      { key: 'interval', label: '95 % interval', width: 8.5, fixed: true, number: true, value: (row) => row.low[0], fill: (cell, row) => { cell.textContent = range(row.low[0], row.high[0]); } },
      ...BOARD.perturbations.map((one, at) => ({ key: one.code, width: 4.6, label: one.code, title: one.title, number: true, value: (row) => row.score[at + 1], fill: (cell, row) => {
        cell.textContent = percent(row.score[at + 1]);
        shade(cell, row.score[at + 1]);
        if (row.low[at + 1] !== null) cell.title = range(row.low[at + 1], row.high[at + 1]);
      } }))];
    const sort = { key: columns.some((column) => column.key === settings.sort) ? settings.sort : 'macro', direction: settings.dir };
    rows = sorted(rows, columns.find((column) => column.key === sort.key), sort.direction);
    status.textContent = plural(rows.length, 'language');
    redraw(result, rows.length ? buildTable({ caption: 'Scores per language', className: 'drill', columns, groups: [{ rows, sorted: true }], sort,
      onsort: (column) => { const next = nextSort(sort, column); change({ sort: next.key, dir: next.direction }); } })
      : h('p', { class: 'empty' }, 'No language of this data set matches.'));
  }

  draw();
  return h('section', {}, h('h2', {}, 'Languages'),
    h('form', { class: 'filters', onsubmit: (event) => event.preventDefault() }, h('div', { class: 'row' },
      mapped.length > 1 ? segmented('Data', 'data', mapped.map((name) => [name, BOARD.datasetByName.get(name).label]), settings.data, (value) => change({ data: value })) : null,
      searchBox('Language', settings.q, 'name, code or script', (value) => change({ q: value })))),
    overview,
    h('div', { class: 'over' }, status, downloads('alee-model', () => rows.map((row) => ({ language: row.name, code: row.language.code, ...languageRecord({ ...row, entry }, settings.data) })))),
    result);
}

// One square per language, best-resourced tier first, best score first within a tier; one tab stop, arrows move.
function mosaic(rows) {
  const box = h('div', { class: 'mosaic' });
  const squares = [];
  for (const tier of BOARD.tiers) {
    const inside = rows.filter((row) => row.language.tier === tier.id).sort((a, b) => b.score[0] - a.score[0]);
    if (!inside.length) continue;
    const list = h('ul', { 'aria-label': tier.label }, inside.map((row) => {
      const text = `${row.label}: ${percent(row.score[0])}`;
      const square = shade(h('a', { href: link(['language', row.language.code]), title: text, tabindex: '-1', 'aria-label': text }), row.score[0]);
      squares.push(square);
      return h('li', {}, square);
    }));
    box.append(h('div', { class: 'tier' }, h('h3', {}, tier.label, h('span', {}, ` ${percent(mean(inside.map((row) => row.score[0])))}`)), list));
  }
  if (squares.length) squares[0].tabIndex = 0;
  box.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = squares.indexOf(document.activeElement);
    const to = event.key === 'Home' ? 0 : event.key === 'End' ? squares.length - 1 : step ? at + step : -1;
    if (at < 0 || to < 0 || to >= squares.length) return;
    event.preventDefault();
    squares[at].tabIndex = -1;
    squares[to].tabIndex = 0;
    squares[to].focus();
  });
  return box;
}
