// Downloads are made in the page from what is shown; nothing is fetched.

function csvCell(value) {
  if (value === null || value === undefined) return '';
  let text = String(value);
  // A spreadsheet runs a cell that starts like a formula; a name from a submission must not.
  if (typeof value === 'string' && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvOf(rows) {
  const names = Object.keys(rows[0] || {});
  return [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((cells) => `${cells.map(csvCell).join(',')}\n`).join('');
}

function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const anchor = h('a', { href: address, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// Two buttons; `rows` is called when one is pressed and returns plain objects, shares with four decimals.
function downloads(name, rows) {
  return h('div', { class: 'downloads', role: 'group', 'aria-label': 'Download what is shown' },
    h('button', { type: 'button', class: 'quiet', 'data-download': 'csv',
      onclick: () => save(`${name}.csv`, 'text/csv', csvOf(rows())) }, 'CSV'),
    h('button', { type: 'button', class: 'quiet', 'data-download': 'json',
      onclick: () => save(`${name}.json`, 'application/json', `${JSON.stringify(rows(), null, 1)}\n`) }, 'JSON'));
}

function rounded(share) {
  return share === null || share === undefined ? null : Math.round(share * 10000) / 10000;
}
