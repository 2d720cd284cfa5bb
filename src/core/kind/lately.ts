/** How many answers one function keeps: enough for all that is reconciled at one time. */
const most = 500;

/** A pure function that keeps its last answers: one reconcile asks for the same several times. Answers are shared, so nobody may change them. */
export function lately<Question, Answer>(work: (question: Question) => Answer): (question: Question) => Answer {
  const known = new Map<Question, { answer: Answer }>();
  return (question) => {
    const found = known.get(question);
    if (found) return found.answer;
    const answer = work(question);
    const [oldest] = known.size < most ? [] : known.keys();
    if (oldest !== undefined) known.delete(oldest);
    known.set(question, { answer });
    return answer;
  };
}
