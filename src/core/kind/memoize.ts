/**
 * Limit of new results in the cache. The cache keeps an equal number of older results, which suffices for all concurrent
 * reconciles.
 */
const mostAnswers = 250;

/** Returns `work` with a cache for each owner, such as a key. The cache ends with the owner. */
export function memoizeFor<Owner extends object, Question, Answer>(
  work: (question: Question, owner: Owner) => Answer,
): (question: Question, owner: Owner) => Answer {
  const caches = new WeakMap<Owner, (question: Question) => Answer>();
  return (question, owner) => {
    const cached = caches.get(owner) ?? memoize((one: Question) => work(one, owner));
    caches.set(owner, cached);
    return cached(question);
  };
}

/**
 * Returns a pure function with a cache of recent results, because a reconcile calls the function several times with one argument.
 * Callers share the result and must not change the object. `keeps`: returns false for a result that is too large for the cache.
 */
export function memoize<Question, Answer>(
  work: (question: Question) => Answer,
  keeps: (answer: Answer) => boolean = () => true,
): (question: Question) => Answer {
  let newer = new Map<Question, { answer: Answer }>();
  let older = new Map<Question, { answer: Answer }>();
  return (question) => {
    const known = newer.get(question);
    if (known) return known.answer;
    const found = older.get(question) ?? { answer: work(question) };
    if (!keeps(found.answer)) return found.answer;
    // Removing the oldest entry of one map is slow: the map searches past all removed entries. Two maps avoid the search.
    if (newer.size >= mostAnswers) [newer, older] = [new Map<Question, { answer: Answer }>(), newer];
    newer.set(question, found);
    return found.answer;
  };
}
