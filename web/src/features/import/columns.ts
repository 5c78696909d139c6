/** What an import can hold, by the header names that the server reads. */
export const fields = ["first_name", "last_name", "phone", "email", "tags", "notes"] as const;
export type Field = (typeof fields)[number];

/** For each column of the file the field it holds, or null when it is left out. */
export type Mapping = (Field | null)[];

/** Headers as offices write them, in the languages of the console. */
const synonyms: Record<Field, string[]> = {
  first_name: ["first_name", "firstname", "first", "given_name", "forename", "name", "full_name", "prenom", "jina", "jina_la_kwanza"],
  last_name: ["last_name", "lastname", "last", "surname", "family_name", "nom", "nom_de_famille", "jina_la_ukoo", "jina_la_mwisho"],
  phone: ["phone", "phone_number", "phonenumber", "mobile", "mobile_number", "mobile_phone", "cell", "cellphone", "tel", "telephone", "msisdn", "number", "contact", "whatsapp", "numero", "numero_de_telephone", "portable", "simu", "namba", "namba_ya_simu", "nambari", "nambari_ya_simu"],
  email: ["email", "e_mail", "mail", "email_address", "courriel", "adresse_email", "barua_pepe"],
  tags: ["tags", "tag", "labels", "label", "groups", "group", "etiquettes", "etiquette", "groupe", "lebo", "kikundi"],
  notes: ["notes", "note", "comment", "comments", "remarks", "remark", "remarques", "commentaire", "maelezo"],
};

/** headerKey makes headers comparable: case, accents, spaces and hyphens do not matter. */
export function headerKey(header: string): string {
  return header
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_+|_+$/g, "");
}

/**
 * guessMapping finds the field of each column by its header, and a column of
 * phone numbers by its content where no header names one. A field goes to the
 * best-named column only.
 */
export function guessMapping(headers: string[], sample: string[][]): Mapping {
  const mapping: Mapping = headers.map(() => null);
  const keys = headers.map(headerKey);
  for (const field of fields) {
    for (const name of synonyms[field]) {
      const column = keys.indexOf(name);
      if (column >= 0 && mapping[column] === null) {
        mapping[column] = field;
        break;
      }
    }
  }
  if (!mapping.includes("phone")) {
    const column = headers.findIndex((_, i) => mapping[i] === null && mostlyPhones(sample.map((row) => row[i] ?? "")));
    if (column >= 0) mapping[column] = "phone";
  }
  return mapping;
}

function mostlyPhones(cells: string[]): boolean {
  const filled = cells.filter((cell) => cell.trim() !== "");
  const phones = filled.filter((cell) => /^[+\d][\d\s().-]{6,19}$/.test(cell.trim()));
  return filled.length > 0 && phones.length / filled.length > 0.7;
}

/** serverReads tells whether the server would map these headers just so by itself. */
export function serverReads(headers: string[], mapping: Mapping): boolean {
  return headers.every((header, i) => {
    const key = header.trim().toLowerCase().replace(/[\s-]+/g, "_");
    const known = (fields as readonly string[]).includes(key) ? key : null;
    return known === mapping[i];
  });
}
