/*
 * Runs the simulator as a program: reads flags and environment, starts the simulator, and handles signals.
 * Only this file of the simulator reads process.env.
 */
import { PROGRAM, SettingsError, isLoopback, readSettings, startError } from "./server/settings/settings.ts";
import type { Settings } from "./server/settings/settings.ts";
import { startSimulator } from "./simulator.ts";
import type { Simulator } from "./simulator.ts";

try {
  await main(readSettings(process.argv.slice(2), process.env));
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  if (error.exitCode === 0) process.stdout.write(`${error.message}\n`);
  else process.stderr.write(`${PROGRAM}: ${error.message}\n`);
  process.exit(error.exitCode);
}

async function main(settings: Settings): Promise<void> {
  const { certificate, ...options } = settings;
  const tls = certificate?.();
  const simulator = await startSimulator({ ...options, ...(tls && { tls }) }).catch((error: unknown) => {
    throw startError(error, settings);
  });
  if (!isLoopback(settings.host))
    process.stderr.write(`${PROGRAM}: warning: --host ${settings.host} lets other machines reach the simulator\n`);
  if (certificate) process.on("SIGHUP", () => renew(simulator, certificate));
  const stop = (): void => {
    void simulator.close().then(() => process.exit(0));
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
  greet(simulator, tls !== undefined);
}

/** Prints the URL, the tokens and an example request, in a form that a user can paste. The simulator is ready at this time. */
function greet({ url, token, controlToken }: Simulator, tls: boolean): void {
  const lines = [
    `listening on ${url}`,
    `token ${token}`,
    `control token ${controlToken} (a password, with any user name, at ${url}/_simulator/)`,
    `try: curl ${tls ? "--insecure " : ""}-H 'Authorization: Bearer ${token}' ${url}/v4/profile`,
  ];
  process.stdout.write(lines.map((line) => `${PROGRAM}: ${line}\n`).join(""));
}

/** Reads the certificate again. The previous certificate stays in use if the new files are invalid. */
function renew(simulator: Simulator, certificate: NonNullable<Settings["certificate"]>): void {
  try {
    simulator.useCertificate(certificate());
    process.stdout.write(`${PROGRAM}: the certificate was read again\n`);
  } catch (error) {
    process.stderr.write(`${PROGRAM}: ${(error as Error).message}; the previous certificate stays in use\n`);
  }
}
