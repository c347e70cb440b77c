// The embedded board.json and questions to it. Per-language figures are thousandths, −1 where there is none.

const COLUMNS = ['macro', 'PN', 'RS', 'AR', 'HS'];
let BOARD = null;

function bytesOf(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

async function unpackJson(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text());
}

function indexBoard(board) {
  board.datasetByName = new Map(board.datasets.map((dataset) => [dataset.name, dataset]));
  board.entryById = new Map(board.entries.map((entry) => [entry.id, entry]));
  board.languageByCode = new Map(board.languages.map((language) => [language.code, language]));
  for (const language of board.languages) language.places = [];
  for (const dataset of board.datasets) {
    dataset.language.forEach((at, key) => board.languages[at].places.push({ dataset, key }));
  }
  return board;
}

// Means over the chosen keys of one data set: {score: [macro, PN, RS, AR, HS], count}.
function meanOver(block, keys) {
  const score = [null, null, null, null, null];
  let total = 0;
  let kinds = 0;
  let count = 0;
  for (let kind = 0; kind < 4; kind += 1) {
    const values = block.tacc[kind];
    let sum = 0;
    let seen = 0;
    for (const key of keys) {
      if (values[key] >= 0) { sum += values[key]; seen += 1; }
    }
    if (seen) {
      score[kind + 1] = sum / seen / 1000;
      total += score[kind + 1];
      kinds += 1;
    }
    count = Math.max(count, seen);
  }
  if (kinds) score[0] = total / kinds;
  return { score, count };
}

// One key of one data set: {score, low, high}, each [macro, PN, RS, AR, HS]; null without any figure.
function figures(block, key) {
  if (!block || !(block.tacc || block.macro)) return null;
  if (!block.tacc) {
    if (block.macro[key] < 0) return null;
    const none = [null, null, null, null, null];
    return { score: [block.macro[key] / 1000, null, null, null, null], low: none, high: none };
  }
  const { score } = meanOver(block, [key]);
  if (score[0] === null) return null;
  const bound = (distances, sign) => score.map((value, column) => {
    const distance = distances ? distances[column][key] : -1;
    return value === null || distance < 0 ? null : Math.max(0, Math.min(1, value + sign * distance / 1000));
  });
  return { score, low: bound(block.minus, -1), high: bound(block.plus, 1) };
}

function matchesLanguage(language, needle) {
  if (!needle) return true;
  const wanted = needle.trim().toLowerCase();
  return language.search.includes(wanted);
}

function tierLabel(id) {
  const tier = BOARD.tiers.find((one) => one.id === id);
  return tier ? tier.label : id;
}

function keyLabel(dataset, key) {
  const language = BOARD.languages[dataset.language[key]];
  const name = dataset.keys[key];
  return dataset.names[key] || (name === language.code ? language.name : `${language.name}, ${name}`);
}
