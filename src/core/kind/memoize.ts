/** So many new answers are kept, and as many from before them: enough for all that is reconciled at one time. */
const most = 250;

/**
 * Returns a pure function that keeps its last answers, because one reconcile asks for the same several times. Callers share
 * an answer and must not change it. `keeps`: returns false for an answer that is too large to keep.
 */
export function lately<Question, Answer>(
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
    // To take the oldest out of one map, each time, is slow: it is searched for among all that were taken out before.
    if (newer.size >= most) [newer, older] = [new Map<Question, { answer: Answer }>(), newer];
    newer.set(question, found);
    return found.answer;
  };
}
