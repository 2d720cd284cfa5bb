/** One error in a response (part 1 section 7). `field` is a dotted path. */
export interface Reason {
  field?: string;
  reason: string;
}

/** An error that becomes the response `{errors: [...]}` with this status. */
export class ApiError extends Error {
  readonly status: number;
  readonly errors: readonly Reason[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, errors: readonly Reason[], headers: Record<string, string> = {}) {
    super(errors.map((error) => error.reason).join("; "));
    this.name = "ApiError";
    this.status = status;
    this.errors = errors;
    this.headers = headers;
  }
}

/** Returns the body of an error response. `field` is omitted for an error without a field. */
export function errorBody(errors: readonly Reason[]): { errors: Reason[] } {
  return { errors: errors.map(({ field, reason }) => (field === undefined ? { reason } : { field, reason })) };
}

/** Returns 400 for an invalid field. */
export function invalid(field: string, reason: string): ApiError {
  return new ApiError(400, [{ field, reason }]);
}

/** Returns the results of two checks. If both throw an ApiError, throws one error with the reasons of both. */
export function both<First, Second>(first: () => First, second: () => Second): [First, Second] {
  let given: First;
  try {
    given = first();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(error.status, [...error.errors, ...reasonsOf(second)]);
  }
  return [given, second()];
}

function reasonsOf(check: () => unknown): readonly Reason[] {
  try {
    check();
  } catch (error) {
    if (error instanceof ApiError) return error.errors;
    throw error;
  }
  return [];
}

/** Returns 400 if the state of the resource forbids the operation. */
export function refused(reason: string): ApiError {
  return new ApiError(400, [{ reason }]);
}

/** Returns 400 for an instance with a running job (not-shown sections 3 and 8). */
export function busy(): ApiError {
  return refused("Compute busy.");
}

/** Returns 401 for a request without a valid token. */
export function unauthenticated(): ApiError {
  return new ApiError(401, [{ reason: "Invalid Token" }]);
}

/** Returns 403 for a token without the scope, or a user without the grant. */
export function forbidden(reason = "Unauthorized"): ApiError {
  return new ApiError(403, [{ reason }]);
}

/** Returns 404 for a resource that does not exist, or that the user may not read. */
export function notFound(): ApiError {
  return new ApiError(404, [{ reason: "Not found" }]);
}
