/** A piece of HTML: made by `html` alone, so that text in it has been escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | readonly Html[] | string | number | boolean | null | undefined;

/** Writes HTML; what is put in is escaped, unless it is HTML. Nothing is written for undefined, null and false. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.map((part, index) => part + written(values[index])).join(""));
}

function written(value: Value): string {
  if (value === undefined || value === null || value === false) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map((each) => each.text).join("\n");
  return String(value)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
