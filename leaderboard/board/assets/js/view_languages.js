// The list of languages, and one language with every model.

const LANGUAGES_DEFAULTS = { q: '', script: '', tier: '', sort: 'name', dir: 'ascending' };

// Best model and mean of all verified models, per language; computed once.
function languageRows() {
  if (BOARD.languageRows) return BOARD.languageRows;
  BOARD.languageRows = BOARD.languages.map((language) => {
    let best = null;
    const perEntry = [];
    for (const entry of BOARD.entries) {
      const values = language.places.map(({ dataset, key }) => (entry.data[dataset.name]?.tacc ? meanOver(entry.data[dataset.name], [key]).score[0] : null))
        .filter((value) => value !== null);
      if (!values.length) continue;
      const value = sum(values) / values.length;
      perEntry.push(value);
      if (!best || value > best.value) best = { entry, value };
    }
    return { language, best, mean: perEntry.length ? sum(perEntry) / perEntry.length : null, models: perEntry.length,
      data: [...new Set(language.places.map(({ dataset }) => dataset.label))] };
  });
  return BOARD.languageRows;
}

function viewLanguages(given) {
  const settings = { ...LANGUAGES_DEFAULTS, ...given };
  const result = h('div');
  const status = h('p', { class: 'status', role: 'status' });
  let rows = [];
  const change = (changes) => {
    Object.assign(settings, changes);
    replaceHash(link(['languages'], settings, LANGUAGES_DEFAULTS));
    draw();
  };
  const columns = [
    { key: 'name', label: 'Language', width: 10.5, rowHeader: true, value: (row) => row.language.name, fill: (cell, row) => {
      cell.append(h('a', { href: link(['language', row.language.code]) }, row.language.name), h('span', { class: 'sub' }, row.language.code));
    } },
    { key: 'script', label: 'Script', width: 9, value: (row) => BOARD.scripts[row.language.script], fill: (cell, row) => { cell.textContent = BOARD.scripts[row.language.script]; } },
    { key: 'tier', label: 'Resources', width: 9, title: 'Rank in Common Crawl', value: (row) => BOARD.tiers.findIndex((tier) => tier.id === row.language.tier), number: true,
      fill: (cell, row) => { cell.textContent = tierLabel(row.language.tier); } },
    { key: 'data', label: 'Data', width: 11, value: (row) => row.data.join(' '), fill: (cell, row) => { cell.textContent = row.data.join(', '); } },
    { key: 'mean', label: 'Mean', width: 4.6, title: 'Mean macro score of the verified models', number: true, value: (row) => row.mean, fill: (cell, row) => { cell.textContent = percent(row.mean); shade(cell, row.mean); } },
    { key: 'best', label: 'Best', width: 4.6, title: 'Highest macro score', number: true, value: (row) => row.best?.value ?? null, fill: (cell, row) => { cell.append(h('b', {}, percent(row.best?.value))); } },
    { key: 'model', label: 'Best model', width: 18, value: (row) => row.best?.entry.name ?? null, fill: (cell, row) => {
      if (row.best) cell.append(h('a', { href: link(['model', row.best.entry.id]) }, named(row.best.entry.name)));
    } },
  ];

  function draw() {
    rows = languageRows().filter((row) => matchesLanguage(row.language, settings.q)
      && (!settings.script || row.language.script === settings.script) && (!settings.tier || row.language.tier === settings.tier));
    const sort = { key: columns.some((column) => column.key === settings.sort) ? settings.sort : 'name', direction: settings.dir };
    rows = sorted(rows, columns.find((column) => column.key === sort.key), sort.direction);
    status.textContent = plural(rows.length, 'language');
    redraw(result, rows.length ? buildTable({ caption: 'Languages', className: 'languages', columns, groups: [{ rows, sorted: true }], sort,
      onsort: (column) => { const next = nextSort(sort, column); change({ sort: next.key, dir: next.direction }); } })
      : h('p', { class: 'empty' }, 'No language of these data sets matches. Try a name, a code such as deu_Latn, or a key such as de_DE.'));
  }

  draw();
  return { title: 'Languages', node: h('div', {},
    h('div', { class: 'lede' }, h('h1', { tabindex: '-1' }, 'Languages'), h('p', {}, 'Find a language, then see every model on it with its interval. Enter opens the first match.')),
    h('form', { class: 'filters', onsubmit: (event) => event.preventDefault() }, h('div', { class: 'row' },
      searchBox('Language', settings.q, 'name, code or script', (value) => change({ q: value }),
        () => { if (rows.length) location.hash = link(['language', rows[0].language.code]); }),
      dropdown('Script', 'script', [['', 'All scripts'], ...scriptOptions()], settings.script, (value) => change({ script: value })),
      dropdown('Resources', 'tier', [['', 'All tiers'], ...BOARD.tiers.map((tier) => [tier.id, tier.label])], settings.tier, (value) => change({ tier: value })))),
    h('div', { class: 'over' }, status, downloads('alee-languages', () => rows.map((row) => ({ code: row.language.code, name: row.language.name,
      script: row.language.script, tier: row.language.tier, data: row.data.join(' '), models: row.models, mean: rounded(row.mean),
      best: rounded(row.best?.value), best_model: row.best?.entry.name ?? null })))),
    result) };
}

function viewLanguage(code, given) {
  const language = BOARD.languageByCode.get(code);
  if (!language) return notFound(`No language ${code}`, ['languages'], 'All languages');
  const withFigures = language.places.filter(({ dataset, key }) => BOARD.entries.some((entry) => figures(entry.data[dataset.name], key)));
  const options = withFigures.map((place) => [placeId(place), placeLabel(place)]);
  const defaults = { at: options[0]?.[0], sort: 'macro', dir: 'descending' };
  const settings = { ...defaults, ...given };
  settings.at = choose(settings.at, options.map(([id]) => id), defaults.at);
  const result = h('div');
  const status = h('p', { class: 'status', role: 'status' });
  let rows = [];
  const change = (changes) => {
    Object.assign(settings, changes);
    replaceHash(link(['language', code], settings, defaults));
    draw();
  };

  function draw() {
    const place = withFigures.find((one) => placeId(one) === settings.at);
    rows = BOARD.entries.flatMap((entry) => {
      const found = figures(entry.data[place.dataset.name], place.key);
      return found ? [{ entry, ...found }] : [];
    });
    status.textContent = plural(rows.length, 'model');
    const axis = axisOf(rows.flatMap((row) => [row.score[0], row.low[0], row.high[0]]));
    const columns = [
      { key: 'model', label: 'Model', width: 10.5, rowHeader: true, value: (row) => row.entry.name, fill: (cell, row) => fillModel(cell, row, row.entry.kind === 'published') },
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
    redraw(result, buildTable({ caption: `Models on ${language.name}`, className: 'drill', columns, groups: [{ rows, sorted: true }], sort,
      onsort: (column) => { const next = nextSort(sort, column); change({ sort: next.key, dir: next.direction }); } }));
  }

  if (withFigures.length) draw();
  else result.append(h('p', { class: 'empty' }, 'No verified model has been scored on this language yet.'));
  return { title: language.name, node: h('div', {},
    h('p', { class: 'crumb' }, h('a', { href: '#/languages' }, 'Languages')),
    h('div', { class: 'lede' }, h('h1', { tabindex: '-1' }, language.name),
      h('p', {}, `${language.code} · ${BOARD.scripts[language.script]} script · ${tierLabel(language.tier)}`)),
    options.length > 1 ? h('form', { class: 'filters', onsubmit: (event) => event.preventDefault() }, h('div', { class: 'row' },
      (options.length > 4 ? dropdown : segmented)('Data', 'at', options, settings.at, (value) => change({ at: value })))) : h('p', { class: 'status' }, options[0]?.[1] || ''),
    h('div', { class: 'over' }, status,
      downloads(`alee-${code}`, () => rows.map((row) => languageRecord(row, settings.at)))),
    result) };
}

function placeId({ dataset, key }) {
  return `${dataset.name}:${dataset.keys[key]}`;
}

function placeLabel({ dataset, key }) {
  return dataset.keys[key] === BOARD.languages[dataset.language[key]].code ? dataset.label : `${dataset.label} ${dataset.names[key] || dataset.keys[key]}`;
}

function languageRecord(row, place) {
  const record = { model: row.entry.name, revision: row.entry.revision, data: place };
  COLUMNS.forEach((code, at) => Object.assign(record, { [code]: rounded(row.score[at]), [`${code}_low`]: rounded(row.low[at]), [`${code}_high`]: rounded(row.high[at]) }));
  return record;
}

function notFound(message, parts, label) {
  return { title: 'Not here', node: h('div', {}, h('div', { class: 'lede' }, h('h1', { tabindex: '-1' }, 'Not here'), h('p', {}, named(message), '.')),
    h('p', {}, h('a', { href: link(parts) }, label))) };
}
