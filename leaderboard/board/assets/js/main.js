// Start: theme, data, first view.

const THEMES = ['auto', 'light', 'dark'];

function remembered() {
  try { return choose(localStorage.getItem('alee-theme'), THEMES, 'auto'); } catch { return 'auto'; }
}

function applyTheme(theme) {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  document.getElementById('theme').textContent = `Theme: ${theme}`;
  try { localStorage.setItem('alee-theme', theme); } catch { /* a page without storage forgets the choice */ }
}

function startTheme() {
  let theme = remembered();
  applyTheme(theme);
  document.getElementById('theme').addEventListener('click', () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    applyTheme(theme);
  });
}

function show(focus) {
  const { view, parts, settings } = readHash();
  const views = { board: () => viewBoard(settings), languages: () => viewLanguages(settings), language: () => viewLanguage(parts[0] || '', settings),
    model: () => viewModel(parts[0] || '', settings), compare: () => viewCompare(parts, settings), about: viewAbout };
  const shown = Object.hasOwn(views, view) ? views[view]() : notFound(`No view ${view}`, [], 'All models');
  const main = document.getElementById('main');
  main.replaceChildren(shown.node);
  document.title = `${shown.title} · ALEE leaderboard`;
  const section = { language: 'languages', model: 'board' }[view] || view;
  for (const item of document.querySelectorAll('nav a')) {
    if (item.dataset.view === section) item.setAttribute('aria-current', 'page');
    else item.removeAttribute('aria-current');
  }
  if (focus) {
    scrollTo(0, 0);
    main.querySelector('h1')?.focus({ preventScroll: true });
  }
}

async function start() {
  startTheme();
  document.querySelector('.skip').addEventListener('click', (event) => {
    event.preventDefault();
    document.getElementById('main').focus();
  });
  try {
    BOARD = indexBoard(await unpackJson(document.getElementById('board-data').textContent));
  } catch (error) {
    document.getElementById('main').replaceChildren(h('p', {}, `This browser could not unpack the results (${error.message}). The same figures are in scores.csv beside this page.`));
    return;
  }
  document.getElementById('colophon').textContent = `Made by ${BOARD.generator}. Data ${BOARD.digest}.`;
  addEventListener('hashchange', () => show(true));
  show(false);
  document.documentElement.dataset.ready = 'yes';
}

start();
