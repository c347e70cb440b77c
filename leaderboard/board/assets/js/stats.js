// Paired bootstrap of two models' outcomes on the same sources.

const RESAMPLES = 1000;
const countsOf = new Map();

// mulberry32: small, seeded, the same everywhere.
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

// How often each source is drawn in each resample, row after row: counts[row * RESAMPLES + resample].
function resampleCounts(rows) {
  if (!countsOf.has(rows)) {
    const counts = new Uint8Array(rows * RESAMPLES);
    const next = generator(rows);
    for (let sample = 0; sample < RESAMPLES; sample += 1) {
      for (let draw = 0; draw < rows; draw += 1) counts[Math.floor(next() * rows) * RESAMPLES + sample] += 1;
    }
    countsOf.set(rows, counts);
  }
  return countsOf.get(rows);
}

function quantile(sorted, share) {
  const at = share * (sorted.length - 1);
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - below);
}

// {value, low, high, p} of a difference: percentile interval of its resamples, sign-flip p of its parts per source.
function estimate({ value, samples, parts }) {
  const present = samples.filter((sample) => !Number.isNaN(sample)).sort();
  const [low, high] = present.length ? [quantile(present, 0.025), quantile(present, 0.975)] : [null, null];
  return { value, low, high, p: signFlip(parts) };
}

// Two-sided p of a sum of paired differences, were each as likely to have the other sign: exact where those that are not
// zero have one size, and for up to 12 of any size; else by the normal distribution (as alee_mteb.analysis.sign_flip).
function signFlip(parts) {
  const present = parts.filter((part) => Math.abs(part) > 1e-14);
  if (!present.length) return 1;
  const sizes = present.map(Math.abs).sort((a, b) => a - b);
  if (sizes.at(-1) - sizes[0] <= 1e-9 * sizes.at(-1)) return coinToss(present.filter((part) => part > 0).length, present.length);
  const total = Math.abs(present.reduce((sum, part) => sum + part, 0));
  if (present.length > 12) {
    const squares = present.reduce((sum, part) => sum + part * part, 0);
    return twoSided(total / Math.sqrt(squares));
  }
  let extreme = 0;
  for (let signs = 0; signs < 2 ** present.length; signs += 1) {
    let flipped = 0;
    for (let at = 0; at < present.length; at += 1) flipped += (signs >> at) & 1 ? -present[at] : present[at];
    if (Math.abs(flipped) >= total * (1 - 1e-9) - 1e-15) extreme += 1;
  }
  return extreme / 2 ** present.length;
}

// Two-sided p of that many heads in n tosses of a fair coin.
function coinToss(heads, n) {
  let log = -n * Math.LN2;
  let tail = 0;
  for (let k = 0; k <= Math.min(heads, n - heads); k += 1) {
    tail += Math.exp(log);
    log += Math.log((n - k) / (k + 1));
  }
  return Math.min(1, 2 * tail);
}

// Two-sided tail of the normal distribution: erfc(z / √2) by its Chebyshev fit (Numerical Recipes, erfcc; 1.2e-7).
function twoSided(z) {
  const x = z / Math.SQRT2;
  const t = 1 / (1 + 0.5 * x);
  const fit = [0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368];
  const sum = fit.reduce((inner, coefficient) => inner * t + coefficient, 0);
  return Math.min(1, t * Math.exp(-x * x - 1.26551223 + t * sum));
}

// p corrected for the chance of one false difference among them (Holm 1979), in the order given.
function holm(values) {
  const adjusted = new Array(values.length);
  let highest = 0;
  values.map((p, at) => [p, at]).sort((a, b) => a[0] - b[0]).forEach(([p, at], place) => {
    highest = Math.max(highest, Math.min(1, p * (values.length - place)));
    adjusted[at] = highest;
  });
  return adjusted;
}

function bit(bytes, start, row) {
  return (bytes[start + (row >> 3)] >> (7 - (row & 7))) & 1;
}

// Differences left − right on the languages both were scored on: {overall: [macro, PN, RS, AR, HS],
// languages: [{key, …macro}]}, each an estimate; null where they were not scored on the same rows.
function pairedDifferences(left, right) {
  if (left.ids !== right.ids || left.rows !== right.rows) return null;
  const { rows } = left;
  const width = (rows + 7) >> 3;
  const counts = resampleCounts(rows);
  const totals = new Map();
  const rightPlace = new Map(right.keys.map((key, place) => [key, place]));
  const sums = [0, 1, 2, 3].map(() => ({ samples: new Float64Array(RESAMPLES), parts: new Float64Array(rows) }));
  const means = [0, 0, 0, 0];
  const seen = [0, 0, 0, 0];
  const languages = [];
  left.keys.forEach((key, place) => {
    if (!rightPlace.has(key)) return;
    const other = rightPlace.get(key);
    const kinds = [];
    for (let kind = 0; kind < 4; kind += 1) {
      const result = oneDifference(left, right, (place * 4 + kind) * width, (other * 4 + kind) * width, counts, totals);
      kinds.push(result);
      if (!result) continue;
      means[kind] += result.value;
      seen[kind] += 1;
      addTo(sums[kind].samples, result.samples, 1);
      addTo(sums[kind].parts, result.parts, 1);
    }
    if (kinds.some(Boolean)) languages.push({ key, ...estimate(meanOfKinds(kinds)) });
  });
  const overall = sums.map(({ samples, parts }, kind) => (seen[kind] ? { value: means[kind] / seen[kind],
    samples: samples.map((total) => total / seen[kind]), parts: parts.map((total) => total / seen[kind]) } : null));
  return { overall: [overall.some(Boolean) ? meanOfKinds(overall) : null, ...overall].map((one) => (one ? estimate(one) : null)), languages };
}

function addTo(total, values, weight) {
  for (let at = 0; at < total.length; at += 1) total[at] += weight * values[at];
}

function oneDifference(left, right, leftStart, rightStart, counts, totals) {
  const { rows } = left;
  const width = (rows + 7) >> 3;
  const samples = new Float64Array(RESAMPLES);
  const parts = new Float64Array(rows);
  const mask = new Uint8Array(width);
  for (let at = 0; at < width; at += 1) mask[at] = left.valid[leftStart + at] & right.valid[rightStart + at];
  const name = mask.join();
  if (!totals.has(name)) {
    const total = new Float64Array(RESAMPLES);
    let number = 0;
    for (let row = 0; row < rows; row += 1) {
      if (!bit(mask, 0, row)) continue;
      number += 1;
      for (let sample = 0; sample < RESAMPLES; sample += 1) total[sample] += counts[row * RESAMPLES + sample];
    }
    totals.set(name, { total, number });
  }
  const { total, number } = totals.get(name);
  if (!number) return null;
  let value = 0;
  for (let row = 0; row < rows; row += 1) {
    if (!bit(mask, 0, row)) continue;
    const difference = bit(left.passed, leftStart, row) - bit(right.passed, rightStart, row);
    if (!difference) continue;
    value += difference;
    parts[row] = difference / number;
    const start = row * RESAMPLES;
    for (let sample = 0; sample < RESAMPLES; sample += 1) samples[sample] += difference * counts[start + sample];
  }
  for (let sample = 0; sample < RESAMPLES; sample += 1) samples[sample] /= total[sample];
  return { value: value / number, samples, parts };
}

function meanOfKinds(kinds) {
  const present = kinds.filter(Boolean);
  const macro = { value: 0, samples: new Float64Array(RESAMPLES), parts: new Float64Array(present[0].parts.length) };
  for (const kind of present) {
    macro.value += kind.value / present.length;
    addTo(macro.samples, kind.samples, 1 / present.length);
    addTo(macro.parts, kind.parts, 1 / present.length);
  }
  return macro;
}
