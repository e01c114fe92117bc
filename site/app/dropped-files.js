/** The files of a drop, folders included, as { name, file } in the order of their names. */
export async function droppedFiles(transfer) {
  // Entries have to be taken before anything is awaited: the list is empty afterwards.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.length === 0) return [...transfer.files].map((file) => ({ name: file.name, file }));
  const found = (await Promise.all(entries.map(filesBelow))).flat();
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function filesBelow(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ name: entry.fullPath.replace(/^\//, ""), file }];
  }
  const reader = entry.createReader();
  const found = [];
  // A reader gives some at a time, and none at its end.
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    found.push(...(await Promise.all(some.map(filesBelow))).flat());
  }
}
