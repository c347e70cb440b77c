// The table of models.

const BOARD_DEFAULTS = { data: 'all', kind: 'macro', script: '', tier: '', rows: 'all', q: '', sort: 'score', dir: 'descending' };

function boardSettings(given) {
  const settings = { ...BOARD_DEFAULTS, ...given };
  const names = ['all', ...BOARD.datasets.map((dataset) => dataset.name)];
  settings.data = choose(settings.data, names, defaultData());
  settings.kind = choose(settings.kind, COLUMNS, 'macro');
  settings.script = choose(settings.script, ['', ...Object.keys(BOARD.scripts)], '');
  settings.tier = choose(settings.tier, ['', ...BOARD.tiers.map((tier) => tier.id)], '');
  settings.rows = choose(settings.rows, ['all', 'verified', 'published'], 'all');
  settings.dir = choose(settings.dir, ['ascending', 'descending'], 'descending');
  return settings;
}

// All three together where some model has all three, else the first data set there is.
function defaultData() {
  return BOARD.entries.some((entry) => entry.all) || !BOARD.datasets.length ? 'all' : BOARD.datasets[0].name;
}

// Keys of each data set that the script and tier filters leave.
function chosenKeys(settings) {
  const keep = (language) => (!settings.script || language.script === settings.script)
    && (!settings.tier || language.tier === settings.tier);
  return new Map(BOARD.datasets.map((dataset) => [dataset.name,
    dataset.language.flatMap((at, key) => (keep(BOARD.languages[at]) ? [key] : []))]));
}

// What one entry shows under the settings: score and interval per column, tie groups, coverage.
function boardRow(entry, settings, keys) {
  const filtered = Boolean(settings.script || settings.tier);
  const names = settings.data === 'all' ? BOARD.official : [settings.data];
  const wanted = names.filter((name) => !filtered || (keys.get(name) || []).length);
  const parts = new Map();
  for (const name of wanted) {
    const block = entry.data[name];
    if (!block) continue;
    if (!filtered) parts.set(name, { score: block.score, low: block.low, high: block.high, count: block.languages });
    else if (block.tacc) {
      const part = meanOver(block, keys.get(name));
      if (part.count) parts.set(name, part);
    }
  }
  const size = (name) => (filtered ? keys.get(name).length : BOARD.datasetByName.get(name).size);
  const row = { entry, parts, score: [null, null, null, null, null], low: null, high: null, groups: null,
    count: sum(wanted.map((name) => parts.get(name)?.count || 0)), total: sum(wanted.map(size)) };
  const whole = settings.data === 'all' ? entry.all : entry.data[settings.data];
  if (!filtered && whole) Object.assign(row, { score: whole.score, low: whole.low, high: whole.high, groups: whole.group });
  if (filtered && wanted.length && wanted.every((name) => parts.has(name))) {
    row.score = COLUMNS.map((_, column) => mean([...parts.values()].map((part) => part.score[column])));
  }
  row.romansh = filtered ? null : entry.data['ALEE-MT61']?.romansh ?? null;
  row.gaps = wanted.flatMap((name) => entry.data[name]?.without || []);
  row.short = row.count < row.total;
  row.partial = row.short && entry.kind === 'verified';
  return row;
}

function sum(values) { return values.reduce((total, value) => total + value, 0); }

function mean(values) {
  return values.length && values.every((value) => value !== null) ? sum(values) / values.length : null;
}

// Rank within verified or published rows by the chosen score. Where tie groups are known: 1 + how many are in better
// groups, shared by the group (whose rows need not be neighbours); a row without a group was scored on other triplets
// and has no rank. Else places, shared by equal scores.
function rankRows(rows, column) {
  for (const kind of ['verified', 'published']) {
    const placed = rows.filter((row) => row.entry.kind === kind && row.score[column] !== null && !row.partial);
    const groupOf = (row) => (row.groups ? row.groups[column] : null);
    const grouped = placed.filter((row) => groupOf(row) !== null);
    const ranked = grouped.length ? grouped : placed;
    const before = grouped.length ? (other, row) => groupOf(other) < groupOf(row) : (other, row) => other.score[column] > row.score[column];
    for (const row of ranked) {
      row.rank = 1 + ranked.filter((other) => before(other, row)).length;
    }
    for (const row of ranked) row.tied = ranked.some((other) => other !== row && other.rank === row.rank);
  }
}

function boardColumns(settings, axis) {
  const column = COLUMNS.indexOf(settings.kind);
  const score = (at) => ({ number: true, value: (row) => row.score[at], fill: (cell, row) => { cell.textContent = percent(row.score[at]); } });
  const columns = [
    { key: 'rank', label: '#', width: 3, fixed: true, number: true, value: (row) => row.rank ?? null, fill: fillRank },
    { key: 'model', label: 'Model', title: 'Sort by name', width: 10.5, rowHeader: true, value: (row) => row.entry.name, fill: fillModel },
    { key: 'score', width: 8.5, label: settings.kind === 'macro' ? 'Score' : settings.kind, title: 'The chosen data and perturbation, with its 95 % interval',
      number: true, value: (row) => row.score[column], fill: (cell, row) => fillScore(cell, row, column, axis) },
  ];
  if (settings.data === 'all') {
    for (const name of BOARD.official) {
      columns.push({ key: `data-${name}`, width: 4.2, label: BOARD.datasetByName.get(name)?.label || name, title: `${name}, the chosen perturbation`, number: true,
        value: (row) => row.parts.get(name)?.score[column] ?? null,
        fill: (cell, row) => { cell.textContent = percent(row.parts.get(name)?.score[column]); } });
    }
  }
  BOARD.perturbations.forEach((perturbation, at) => {
    columns.push({ key: perturbation.code, width: 3.6, label: perturbation.code, title: `${perturbation.title}, the chosen data`, ...score(at + 1) });
  });
  if (settings.data === 'all' || settings.data === 'ALEE-MT61') {
    columns.push({ key: 'romansh', width: 5.2, label: 'Romansh', title: 'Mean of the six varieties in ALEE-MT61', number: true,
      value: (row) => row.romansh, fill: (cell, row) => { cell.textContent = percent(row.romansh); } });
  }
  columns.push({ key: 'languages', width: 6, label: 'Languages', title: 'Languages evaluated, of those chosen', number: true,
    value: (row) => row.count, fill: fillLanguages });
  return columns;
}

function fillRank(cell, row) {
  if (row.rank === undefined) { cell.textContent = ''; return; }
  cell.textContent = `${row.tied ? '=' : ''}${row.rank}`;
}

function fillModel(cell, row, mark = false) {
  const { entry } = row;
  const slash = entry.name.lastIndexOf('/');
  const name = slash > 0 && slash < entry.name.length - 1 ? entry.name.slice(slash + 1) : entry.name;
  cell.append(h('a', { href: link(['model', entry.id]), title: entry.name }, named(name)));
  const facts = [slash > 0 ? entry.name.slice(0, slash) : null, entry.size || null, mark ? entry.kind : null].filter(Boolean);
  if (facts.length) cell.append(h('span', { class: 'sub' }, named(facts.join(' · '))));
}

function fillScore(cell, row, column, axis) {
  const value = row.score[column];
  cell.append(h('b', {}, percent(value)));
  if (value === null) return;
  const low = row.low ? row.low[column] : null;
  const high = row.high ? row.high[column] : null;
  if (low !== null) {
    cell.title = `95 % interval: ${range(low, high)}`;
    cell.append(hidden(` (${range(low, high)})`));
  }
  cell.append(strip(value, low, high, axis, 0.5));
}

function fillLanguages(cell, row) {
  cell.textContent = row.count ? String(row.count) : '–';
  if (!row.short) return;
  cell.title = row.partial ? `${row.count} of ${row.total} languages: not ranked` : row.gaps.length ? `without ${row.gaps.join(', ')}` : '';
  cell.append(h('span', { class: 'of' }, ` / ${row.total}`));
}

// Lowest and highest value or bound that the strips have to hold, a little wider.
function axisOf(values) {
  const present = values.filter((value) => value !== null && value !== undefined);
  if (!present.length) return [0, 1];
  const low = Math.min(...present);
  const high = Math.max(...present);
  const edge = Math.max(0.01, 0.04 * (high - low));
  return [Math.max(0, low - edge), Math.min(1, high + edge)];
}

function viewBoard(given) {
  let settings = boardSettings({ data: defaultData(), ...given });
  const result = h('div');
  const status = h('p', { class: 'status', role: 'status' });
  const note = h('p', { class: 'legend' });
  const filters = h('form', { class: 'filters', onsubmit: (event) => event.preventDefault() });
  const defaults = { ...BOARD_DEFAULTS, data: defaultData() };
  const change = (changes) => {
    settings = boardSettings({ ...settings, ...changes });
    replaceHash(link([], settings, defaults));
    draw();
  };
  const reset = () => { settings = { ...defaults }; replaceHash('#/'); drawFilters(); draw(); };
  let rows = [];

  function drawFilters() {
    const data = [...(BOARD.entries.some((entry) => entry.all) ? [['all', 'All three', 'Mean of the three official data sets']] : []),
      ...BOARD.datasets.map((dataset) => [dataset.name, dataset.label, dataset.name])];
    filters.replaceChildren(
      h('div', { class: 'row' },
        segmented('Data', 'data', data, settings.data, (value) => change({ data: value })),
        segmented('Change of meaning', 'kind', [['macro', 'All', 'Mean of the four perturbations'],
          ...BOARD.perturbations.map((one) => [one.code, one.code, one.title])], settings.kind, (value) => change({ kind: value }))),
      foldable(['q', 'script', 'tier', 'rows'].some((name) => settings[name] !== defaults[name]),
        searchBox('Model', settings.q, 'name or organisation', (value) => change({ q: value })),
        dropdown('Script', 'script', [['', 'All scripts'], ...scriptOptions()], settings.script, (value) => change({ script: value })),
        dropdown('Resources', 'tier', [['', 'All tiers'], ...BOARD.tiers.map((tier) => [tier.id, tier.label])], settings.tier, (value) => change({ tier: value })),
        dropdown('Rows', 'rows', [['all', 'Verified and published'], ['verified', 'Verified'], ['published', 'Published']], settings.rows, (value) => change({ rows: value })),
        h('button', { type: 'button', class: 'quiet', id: 'reset', onclick: reset }, 'Reset')));
  }

  function draw() {
    const keys = chosenKeys(settings);
    const column = COLUMNS.indexOf(settings.kind);
    const all = BOARD.entries.map((entry) => boardRow(entry, settings, keys)).filter((row) => row.parts.size);
    rankRows(all, column);
    const needle = settings.q.trim().toLowerCase();
    rows = all.filter((row) => (settings.rows === 'all' || row.entry.kind === settings.rows)
      && row.entry.name.toLowerCase().includes(needle));
    const axis = axisOf(rows.flatMap((row) => [row.score[column], row.low?.[column], row.high?.[column]]));
    const columns = boardColumns(settings, axis);
    const sort = columns.some((one) => one.key === settings.sort && !one.fixed)
      ? { key: settings.sort, direction: settings.dir } : { key: 'score', direction: 'descending' };
    const byScore = sort.key === 'score';
    const rowClass = (row, place, group) => {
      const near = (other) => byScore && row.tied && other?.tied && other.rank === row.rank;
      return [row.partial ? 'unranked' : '', near(group[place - 1]) ? 'tie-up' : '', near(group[place + 1]) ? 'tie-down' : ''].join(' ').trim();
    };
    const groups = [
      { label: 'Verified', note: 'computed here from per-triplet outcomes', rows: rows.filter((row) => row.entry.kind === 'verified'), rowClass },
      { label: 'Published', note: 'figures printed in the ALEE paper, without intervals', rows: rows.filter((row) => row.entry.kind === 'published'), rowClass },
    ].filter((group) => group.rows.length);
    status.replaceChildren(...statusOf(rows, settings, keys));
    note.replaceChildren(...legend(rows));
    redraw(result, groups.length ? buildTable({ caption: 'Models', className: 'models', columns, groups, sort,
      onsort: (chosen) => { const next = nextSort(sort, chosen); change({ sort: next.key, dir: next.direction }); } })
      : h('p', { class: 'empty' }, 'No model has results for this choice. ', h('button', { type: 'button', class: 'quiet', onclick: reset }, 'Show everything')));
  }

  drawFilters();
  draw();
  return { title: 'Models', node: h('div', {},
    h('div', { class: 'lede' }, h('h1', { tabindex: '-1' }, 'Which encoders notice a change of meaning?'),
      h('p', {}, 'How often, in per cent, a translation lies closer to its English source than to a copy of the source whose meaning was changed. A coin toss gets 50.')),
    filters, h('div', { class: 'over' }, status, downloads('alee-models', () => rows.map((row) => boardRecord(row, settings)))),
    result, note) };
}

function scriptOptions() {
  return Object.entries(BOARD.scripts).sort((a, b) => collator.compare(a[1], b[1]));
}

function statusOf(rows, settings, keys) {
  const parts = [plural(rows.length, 'model')];
  if (settings.script || settings.tier) {
    const names = settings.data === 'all' ? BOARD.official : [settings.data];
    const codes = new Set(names.flatMap((name) => (keys.get(name) || []).map((key) => BOARD.datasetByName.get(name).language[key])));
    parts.push(` · means over ${plural(codes.size, 'language')}; ties are known only for whole data sets, and published rows have no figures per language`);
  }
  const shown = new Set(rows.map((row) => row.entry));
  const elsewhere = BOARD.entries.filter((entry) => !shown.has(entry) && entry.kind === 'verified' && !entry.all);
  if (settings.data === 'all' && !settings.q && settings.rows !== 'published' && elsewhere.length) {
    const names = BOARD.datasets.filter((dataset) => elsewhere.some((entry) => entry.data[dataset.name])).map((dataset) => dataset.name);
    parts.push(` · ${plural(elsewhere.length, 'verified model')} on other data: `);
    names.forEach((name, at) => parts.push(at ? ', ' : '', h('a', { href: link([], { data: name }) }, BOARD.datasetByName.get(name).label)));
  }
  return parts;
}

function legend(rows) {
  return [rows.some((row) => row.tied && row.entry.kind === 'verified') ? h('span', {}, h('span', { class: 'bracket', 'aria-hidden': 'true' }),
    'Rows that share a rank (=) cannot be told apart from the best of them on the same triplets (5 %, corrected). ') : null,
  h('span', {}, BOARD.perturbations.map((one) => `${one.code} ${one.title}`).join(', '), '. '),
  h('a', { href: '#/about' }, 'How it is computed')].filter(Boolean);
}

function boardRecord(row, settings) {
  const column = COLUMNS.indexOf(settings.kind);
  const record = { model: row.entry.name, revision: row.entry.revision, kind: row.entry.kind, data: settings.data, perturbation: settings.kind,
    script: settings.script, tier: settings.tier, rank: row.rank ?? null, tied: Boolean(row.tied),
    score: rounded(row.score[column]), low: rounded(row.low?.[column]), high: rounded(row.high?.[column]) };
  for (const name of BOARD.official) record[name] = rounded(row.parts.get(name)?.score[column]);
  COLUMNS.slice(1).forEach((code, at) => { record[code] = rounded(row.score[at + 1]); });
  return { ...record, romansh: rounded(row.romansh), languages: row.count };
}
