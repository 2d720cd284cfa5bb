/** What the API server said, without the warnings of risky settings: an example may show what it warns of. */
export function withoutRiskWarnings(stderr: string): string {
  return stderr.replaceAll(/^Warning: Validation failed for ValidatingAdmissionPolicy 'risks\..*\n/gm, "");
}
