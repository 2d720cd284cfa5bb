import { relative } from "node:path";

/** The part of a vitest JSON report that counts, and what it says of failures. */
export interface Report {
  testResults: {
    name: string;
    status: string;
    message?: string;
    assertionResults: { status: string; fullName?: string; failureMessages?: string[] }[];
  }[];
}

export interface Tally {
  passed: number;
  failed: number;
}

/**
 * Counts a run so that the figures cannot flatter it: a file that failed without a failed test of its own (it did not
 * load, or a hook threw) is one failure; so is a run without a report, one that passed nothing, and an exit code that
 * no counted failure explains.
 */
export function tally(report: Report | undefined, exitCode: number): Tally {
  const files = report?.testResults ?? [];
  const passed = files.flatMap((file) => file.assertionResults).filter((test) => test.status === "passed").length;
  const failed = files.reduce((sum, file) => sum + failures(file), 0);
  const unexplained = exitCode !== 0 || passed === 0;
  return { passed, failed: failed === 0 && unexplained ? 1 : failed };
}

function failures(file: Report["testResults"][number]): number {
  const counted = file.assertionResults.filter((test) => test.status === "failed").length;
  return counted === 0 && file.status === "failed" ? 1 : counted;
}

/**
 * Names each failure with the first line of its message, for who sees only the end of a long output; paths are relative
 * to the working directory.
 */
export function failureLines(report: Report | undefined): string[] {
  return (report?.testResults ?? []).flatMap((file) => {
    const path = relative(process.cwd(), file.name);
    const failed = file.assertionResults.filter((test) => test.status === "failed");
    if (failed.length === 0 && file.status === "failed") return [failureLine(path, file.message)];
    return failed.map((test) => failureLine(`${path} > ${test.fullName ?? ""}`, test.failureMessages?.[0]));
  });
}

function failureLine(where: string, message = ""): string {
  const [first = ""] = message.split("\n");
  return `FAILED ${where}${first === "" ? "" : `: ${first}`}`;
}

/** The closing line, alone on its line. */
export function closingLine({ passed, failed }: Tally): string {
  return `${passed} passed, ${failed} failed`;
}
