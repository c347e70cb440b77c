// How the figures come about, in short.

function viewAbout() {
  const counts = [['Data set', 'Languages', 'Verified', 'Published'], ...BOARD.datasets.map((dataset) => [dataset.name, dataset.size,
    BOARD.entries.filter((entry) => entry.kind === 'verified' && entry.data[dataset.name]).length,
    BOARD.entries.filter((entry) => entry.kind === 'published' && entry.data[dataset.name]).length])];
  return { title: 'About', node: h('div', { class: 'prose' }, h('div', { class: 'lede' }, h('h1', { tabindex: '-1' }, 'About this board')),
    h('p', {}, 'A triplet is an English source, a copy of it whose meaning was changed (the foil), and a translation of the source. An encoder passes if the cosine of source and translation is greater than that of foil and translation; a tie fails.'),
    h('h2', {}, 'Scores'),
    h('p', {}, 'The share of triplets passed, per language and kind of change; then the mean over languages; then the mean over the four kinds: polarity negation (PN), role swap (RS), antonym replacement (AR), hypernym substitution (HS). “All three” is the mean of the three official data sets. 50 is a coin toss, and figures below it mean that the foils are preferred.'),
    h('h2', {}, 'Verified and published'),
    h('p', {}, 'Verified rows carry which triplets were passed, packed into bits. Scores, intervals and ties are computed from these when the board is built; what a submission claims is not used. Published rows are the figures that the authors of ALEE printed. They stand apart because nothing can be computed from them; their ALEE-MT61 lacks fil_PH.'),
    h('h2', {}, 'Intervals and ties'),
    h('p', {}, 'Intervals are 95 % percentile intervals of 1,000 bootstrap resamples of the sources. Two models are compared on the same triplets and resamples. Whether a difference is real is tested by flipping its sign source by source (5 %, corrected by Holm for the number of comparisons). The best model leads a group; all models that are not significantly worse share its rank, and the rest is grouped likewise. In a comparison per language, “stands” means significant after correction for the number of languages.'),
    h('h2', {}, 'Resources'),
    h('p', {}, 'The tiers are ranks of languages by their share of Common Crawl (CC-MAIN-2026-08).'),
    h('h2', {}, 'On this board'),
    h('table', { class: 'plain' }, h('caption', { class: 'sr' }, 'Data sets and models'), h('thead', {}, h('tr', {}, counts[0].map((text, at) => h('th', { scope: 'col', class: at ? 'number' : '' }, text)))),
      h('tbody', {}, counts.slice(1).map((line) => h('tr', {}, line.map((text, at) => h(at ? 'td' : 'th', { scope: at ? null : 'row', class: at ? 'number' : '' }, text)))))),
    h('h2', {}, 'Files'),
    h('p', {}, 'Beside this page: ', h('a', { href: 'board.json', download: true }, 'board.json'), ' (all that the page shows), ', h('a', { href: 'models.csv', download: true }, 'models.csv'), ' (per model and data set), ', h('a', { href: 'scores.csv', download: true }, 'scores.csv'), ' (per model, data set and language).')) };
}
