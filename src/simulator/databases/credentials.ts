import { refused } from "../server/errors.ts";
import type { Operation } from "../server/operation.ts";
import { databaseOperation } from "./database-operation.ts";
import { planNewPassword } from "./lifecycle.ts";
import type { DatabaseRow } from "./tables.ts";
import { TEST_CA } from "./test-ca.ts";

/** Serves the credentials and the CA certificate of a database (not-shown section 2). */
export const databaseAccessOperations: readonly Operation[] = [
  databaseOperation({
    method: "GET",
    below: "/credentials",
    summary: "View username and password",
    access: "read_only",
    handler: (_context, database) => ({ username: database.username, password: passwordOf(database) }),
  }),
  databaseOperation({
    method: "POST",
    below: "/credentials/reset",
    summary: "Make a new password; it appears a little later",
    access: "read_write",
    handler({ world, account }, database) {
      passwordOf(database);
      planNewPassword(world, account, database);
      return {};
    },
  }),
  databaseOperation({
    method: "GET",
    below: "/ssl",
    summary: "View the certificate of the authority that signed the server's",
    access: "read_only",
    handler(_context, database) {
      passwordOf(database);
      return { ca_certificate: Buffer.from(TEST_CA).toString("base64") };
    },
  }),
];

/** Returns the password. Throws 400 until the end of provisioning. */
function passwordOf({ password }: Readonly<DatabaseRow>): string {
  if (password === null) throw refused("The database is still being provisioned");
  return password;
}
