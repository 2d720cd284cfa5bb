/** Runs before each file of cluster tests. The files of a worker share its modules, and what the modules keep. */
import { forgetAuditLogs } from "./audit-log.ts";

forgetAuditLogs();
