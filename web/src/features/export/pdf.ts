import fontUrl from "dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf?url";
import { jsPDF } from "jspdf";
import autoTable from "jspdf-autotable";

/**
 * pdf writes a table as PDF, in a font that has the letters of the languages of
 * Africa; the fonts that every PDF reader has know those of Western Europe only.
 */
export async function pdf(title: string, headers: string[], rows: string[][]): Promise<Blob> {
  const document = new jsPDF({ orientation: "landscape", unit: "pt", format: "a4", compress: true });
  document.addFileToVFS("console.ttf", await fontBase64());
  document.addFont("console.ttf", "console", "normal");
  document.setFont("console");
  document.setFontSize(14);
  document.text(title, 40, 44);
  autoTable(document, {
    head: [headers],
    body: rows,
    startY: 60,
    styles: { font: "console", fontStyle: "normal", fontSize: 8, cellPadding: 4, overflow: "linebreak" },
    headStyles: { fillColor: "#0b5a53", textColor: "#ffffff", fontStyle: "normal" },
    alternateRowStyles: { fillColor: "#f4f7f6" },
    columnStyles: { 2: { cellWidth: 96 } },
    didDrawPage: ({ pageNumber }) => {
      document.setFontSize(8);
      document.text(String(pageNumber), document.internal.pageSize.getWidth() - 60, document.internal.pageSize.getHeight() - 20);
    },
  });
  return document.output("blob");
}

async function fontBase64(): Promise<string> {
  const bytes = new Uint8Array(await (await fetch(fontUrl)).arrayBuffer());
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}
