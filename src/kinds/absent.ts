/** Descriptions of lists that the operator compares with the cloud. An absent list and an empty list differ. */

/** For a list that can be empty. */
export const absentOrEmpty =
  "An empty list means none. If absent, the operator does not manage the list: the cloud keeps its entries.";

/** For a list with at least one entry. */
export const absentOrFilled =
  "At least one entry. If absent, the operator does not manage the list: the cloud keeps its entries.";
