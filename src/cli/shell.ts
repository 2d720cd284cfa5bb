/** Words of the commands that the command line prints for users. */

/** The command line as a plugin of kubectl. */
export const program = "kubectl cloudplatform";

/**
 * Quotes an argument for a POSIX shell, if necessary. Every text that is not written in this program, such as a name, an ID or a
 * text of the cloud, passes through here on its way into a printed command.
 */
export function quoted(text: string): string {
  return /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
