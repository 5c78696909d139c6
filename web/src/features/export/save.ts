/** save hands a file to the person, as a download. */
export function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the file after this task; it has it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** saveText is save for something short. */
export function saveText(text: string, name: string, type: string): void {
  save(new Blob([text], { type }), name);
}

/** fileNameOf reads the name that the server gives a download. */
export function fileNameOf(response: Response, otherwise: string): string {
  const header = response.headers.get("Content-Disposition") ?? "";
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(header)?.[1];
  if (encoded) return decodeURIComponent(encoded);
  return /filename="?([^";]+)"?/i.exec(header)?.[1] ?? otherwise;
}
