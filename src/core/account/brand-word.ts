/** Detects a wrong brand word. A cloud API answers 404 to each path with the brand word of a different service. */
import { Stalled } from "../kind/outcome.ts";

export interface BrandWords {
  /** The brand word in the settings of the operator. */
  configured: string;
  /** Returns true if the endpoint has a public path with this word, false for a 404, and undefined after another error. */
  isServed: (endpoint: string, word: string) => Promise<boolean | undefined>;
}

/** The word of the documents, and the words of known services. */
export const knownWords = ["compute", "linode"];

/** Throws `Stalled` with `WrongBrandWord` if the endpoint does not serve the configured word, and serves another known word. */
export async function requireBrandWord({ configured, isServed }: BrandWords, endpoint: string): Promise<void> {
  if ((await isServed(endpoint, configured)) !== false) return;
  for (const word of knownWords.filter((known) => known !== configured)) {
    if ((await isServed(endpoint, word)) !== true) continue;
    throw new Stalled(
      "WrongBrandWord",
      `brandWord: the cloud API at endpoint ${endpoint} has no paths with the brand word ${configured}, but with ${word}. The operator reads and changes nothing. Set the brand word of the operator to ${word}: brandWord in the values of the chart, or --brand-word`,
    );
  }
}
