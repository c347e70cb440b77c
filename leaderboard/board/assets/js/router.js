// Every view has a link: #/view/part/part?setting=value. Only what differs from the default is in it.

function readHash() {
  const raw = location.hash.replace(/^#/, '') || '/';
  const cut = raw.indexOf('?');
  const path = cut < 0 ? raw : raw.slice(0, cut);
  const parts = path.split('/').filter(Boolean).map((part) => {
    try { return decodeURIComponent(part); } catch { return part; }
  });
  return { view: parts[0] || 'board', parts: parts.slice(1),
    settings: Object.fromEntries(new URLSearchParams(cut < 0 ? '' : raw.slice(cut + 1))) };
}

function link(parts, settings = {}, defaults = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(settings)) {
    if (value !== '' && value !== null && value !== undefined && value !== defaults[name]) query.set(name, value);
  }
  const text = query.toString();
  return `#/${parts.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`;
}

// The address follows a change of settings without a step in the history: Back leaves the view.
function replaceHash(hash) {
  if (hash !== location.hash) history.replaceState(null, '', hash);
}

function choose(value, allowed, otherwise) {
  return allowed.includes(value) ? value : otherwise;
}
