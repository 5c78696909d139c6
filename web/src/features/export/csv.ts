/** countCsv counts the records of a CSV below its header; quoted line breaks are not records. */
export async function countCsv(file: Blob): Promise<number> {
  const text = await file.text();
  let lines = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 34) quoted = !quoted;
    else if (c === 10 && !quoted) lines++;
  }
  if (text.length > 0 && !text.endsWith("\n")) lines++;
  return Math.max(0, lines - 1);
}
