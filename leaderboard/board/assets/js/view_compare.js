// Two models on the same triplets.

const outcomesOf = new Map();
const arrivals = new Map();
const policy = window.trustedTypes ? window.trustedTypes.createPolicy('alee', { createScriptURL: (address) => {
  if (!/^outcomes\/[0-9a-f]{16}\.js$/.test(address)) throw new TypeError('not an outcomes file');
  return address;
} }) : { createScriptURL: (address) => address };

// Each outcomes/….js calls this with its own name and packed content.
window.aleeOutcomes = (name, text) => {
  unpackJson(text).then((content) => arrivals.get(name)?.(content), () => arrivals.get(name)?.(null));
};

// Outcomes of an entry, {data set: {rows, ids, keys, valid, passed}}, or null where they cannot be had.
function loadOutcomes(entry) {
  if (!entry.outcomes) return Promise.resolve(null);
  if (!outcomesOf.has(entry.outcomes)) {
    outcomesOf.set(entry.outcomes, new Promise((resolve) => {
      arrivals.set(entry.outcomes, (content) => {
        for (const block of Object.values(content || {})) {
          block.valid = bytesOf(block.valid);
          block.passed = bytesOf(block.passed);
        }
        resolve(content);
      });
      const script = h('script', { onerror: () => resolve(null) });
      script.src = policy.createScriptURL(`outcomes/${entry.outcomes}.js`);
      document.head.append(script);
    }));
  }
  return outcomesOf.get(entry.outcomes);
}

function viewCompare(parts, given) {
  const choices = BOARD.entries.map((entry) => [entry.id, `${entry.label}${entry.kind === 'published' ? ' (published)' : ''}`]);
  const verified = BOARD.entries.filter((entry) => entry.kind === 'verified');
  const fallback = verified.length > 1 ? verified : BOARD.entries;
  const first = BOARD.entryById.get(parts[0]) || fallback[0];
  if (!first || BOARD.entries.length < 2) return notFound('Two models are needed', [], 'All models');
  const shares = (entry) => entry !== first && BOARD.datasets.some(({ name }) => first.data[name] && entry.data[name]);
  const second = BOARD.entryById.get(parts[1]) || fallback.find(shares) || BOARD.entries.find(shares) || BOARD.entries.find((entry) => entry !== first);
  const names = BOARD.datasets.map((dataset) => dataset.name).filter((name) => first.data[name] && second.data[name]);
  const defaults = { data: names[0], sort: 'difference', dir: 'descending' };
  const settings = { ...defaults, ...given };
  settings.data = choose(settings.data, names, defaults.data);
  const address = (a, b) => link(['compare', a, b], settings, {});
  const result = h('div', { 'aria-live': 'off' });
  const status = h('p', { class: 'status', role: 'status' });
  let drawn = 0;
  let rows = [];

  async function draw() {
    const turn = (drawn += 1);
    if (!names.length) { result.replaceChildren(h('p', { class: 'empty' }, 'These two share no data set.')); return; }
    status.textContent = 'Comparing …';
    const [left, right] = await Promise.all([loadOutcomes(first), loadOutcomes(second)]);
    if (turn !== drawn) return;
    const dataset = BOARD.datasetByName.get(settings.data);
    const paired = left?.[settings.data] && right?.[settings.data] ? pairedDifferences(left[settings.data], right[settings.data]) : null;
    rows = compareRows(dataset, first.data[settings.data], second.data[settings.data], paired);
    const overall = paired ? paired.overall : COLUMNS.map((_, at) => {
      const [a, b] = [first.data[settings.data].score[at], second.data[settings.data].score[at]];
      return a === null || b === null ? null : { value: a - b, low: null, high: null };
    });
    status.textContent = compareStatus(rows, paired);
    result.replaceChildren(overallSection(overall, first, second), languageSection());
  }

  function languageSection() {
    const box = h('div');
    const axis = symmetric(rows.flatMap((row) => [row.difference, row.low, row.high]));
    const columns = [
      { key: 'name', label: 'Language', width: 10.5, rowHeader: true, value: (row) => row.label, fill: (cell, row) => {
        cell.append(h('a', { href: link(['language', row.language.code]) }, row.label), h('span', { class: 'sub' }, row.name)); } },
      { key: 'first', label: 'First', title: first.name, number: true, value: (row) => row.first, fill: (cell, row) => { cell.textContent = percent(row.first); } },
      { key: 'second', label: 'Second', title: second.name, number: true, value: (row) => row.second, fill: (cell, row) => { cell.textContent = percent(row.second); } },
      { key: 'difference', label: 'Difference', width: 10, number: true, value: (row) => row.difference, fill: (cell, row) => {
        cell.append(h('b', {}, signed(row.difference)), strip(row.difference, row.low, row.high, axis, 0)); } },
      { key: 'interval', label: '95 % interval', width: 8.5, fixed: true, number: true, value: (row) => row.low, fill: (cell, row) => { cell.textContent = range(row.low, row.high, signed); } },
      { key: 'stands', label: 'Stands', width: 5.5, title: 'Stands after correction for the number of languages', value: (row) => (row.stands === null ? null : row.stands ? 'a' : 'b'), fill: (cell, row) => {
        cell.textContent = row.stands === null ? '' : row.stands ? 'yes' : '–'; } }];
    const show = () => {
      const sort = { key: columns.some((column) => column.key === settings.sort) ? settings.sort : 'difference', direction: settings.dir };
      rows = sorted(rows, columns.find((column) => column.key === sort.key), sort.direction);
      redraw(box, buildTable({ caption: 'Difference per language', className: 'drill compare', columns, sort, groups: [{ rows, sorted: true, rowClass: (row) => (row.stands === false ? 'faint' : '') }],
        onsort: (column) => { const next = nextSort(sort, column); settings.sort = next.key; settings.dir = next.direction; replaceHash(address(first.id, second.id)); show(); } }));
    };
    if (!rows.length) return h('p', { class: 'note' }, 'There are no figures per language for both models.');
    show();
    return h('section', {}, h('h2', {}, 'Per language'), box);
  }

  draw();
  return { title: `${first.name} and ${second.name}`, node: h('div', {},
    h('div', { class: 'lede' }, h('h1', { tabindex: '-1' }, 'Compare two models'), h('p', {}, 'First minus second on the same triplets, with 95 % intervals. What stands is real even when so many languages are looked at.')),
    h('form', { class: 'filters', onsubmit: (event) => event.preventDefault() },
      h('div', { class: 'row' },
        dropdown('First', 'first', choices, first.id, (value) => { location.hash = address(value, second.id); }, 'wide'),
        dropdown('Second', 'second', choices, second.id, (value) => { location.hash = address(first.id, value); }, 'wide'),
        h('button', { type: 'button', class: 'quiet', onclick: () => { location.hash = address(second.id, first.id); } }, 'Swap')),
      h('div', { class: 'row' }, names.length > 1 ? segmented('Data', 'data', names.map((name) => [name, BOARD.datasetByName.get(name).label]), settings.data,
        (value) => { settings.data = value; replaceHash(address(first.id, second.id)); draw(); }) : null)),
    h('div', { class: 'over' }, status, downloads('alee-comparison', () => rows.map((row) => ({ first: first.name, second: second.name, data: settings.data, language: row.name,
      first_score: rounded(row.first), second_score: rounded(row.second), difference: rounded(row.difference), low: rounded(row.low), high: rounded(row.high), stands: row.stands })))),
    result) };
}

function compareRows(dataset, left, right, paired) {
  const estimates = new Map((paired?.languages || []).map((one) => [one.key, one]));
  const rows = dataset.keys.flatMap((name, key) => {
    const [a, b] = [figures(left, key), figures(right, key)];
    if (!a || !b) return [];
    const found = estimates.get(key);
    return [{ name, key, language: BOARD.languages[dataset.language[key]], label: keyLabel(dataset, key), first: a.score[0], second: b.score[0],
      difference: found ? found.value : a.score[0] - b.score[0], low: found ? found.low : null, high: found ? found.high : null, p: found ? found.p : null, stands: null }];
  });
  const tested = rows.filter((row) => row.p !== null);
  holm(tested.map((row) => row.p)).forEach((p, at) => { tested[at].stands = p < 0.05; });
  return rows;
}

function compareStatus(rows, paired) {
  if (!paired) return `${plural(rows.length, 'language')} · no intervals: both models need outcomes on the same triplets`;
  const better = rows.filter((row) => row.stands && row.difference > 0).length;
  const worse = rows.filter((row) => row.stands && row.difference < 0).length;
  return `${plural(rows.length, 'language')}: first better on ${better}, second better on ${worse}, no clear difference on ${rows.length - better - worse}`;
}

function symmetric(values) {
  const most = Math.max(0.01, ...values.filter((value) => value !== null).map(Math.abs));
  return [-1.05 * most, 1.05 * most];
}

function overallSection(overall, first, second) {
  const axis = symmetric(overall.flatMap((one) => (one ? [one.value, one.low, one.high] : [])));
  const labels = ['All four', ...BOARD.perturbations.map((one) => one.title)];
  return h('section', {}, h('h2', {}, 'Over all languages'), h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Difference over all languages' },
    h('table', { class: 'overall' }, h('caption', { class: 'sr' }, `Difference over all languages: ${first.name} minus ${second.name}`),
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Change of meaning'), h('th', { scope: 'col', class: 'number difference' }, 'Difference'), h('th', { scope: 'col', class: 'number' }, '95 % interval'))),
      h('tbody', {}, overall.map((one, at) => (one ? h('tr', {}, h('th', { scope: 'row' }, labels[at]),
        h('td', { class: 'number difference' }, h('b', {}, signed(one.value)), strip(one.value, one.low, one.high, axis, 0)),
        h('td', { class: 'number' }, range(one.low, one.high, signed))) : null))))));
}
