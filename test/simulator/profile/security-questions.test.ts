import { expect, test } from "vitest";
import { reasons, running } from "../running.ts";
import type { Running } from "../running.ts";

const PATH = "/profile/security-questions";
const answers = (...ids: number[]) => ({
  security_questions: ids.map((question_id) => ({ question_id, response: `answer ${question_id}` })),
});

async function answered(simulator: Running): Promise<number[]> {
  const { security_questions } = await simulator.ok("GET", PATH);
  const questions = security_questions as { id: number; question: string; response: string | null }[];
  return questions.filter(({ response }) => response !== null).map(({ id }) => id);
}

test("part 1 section 4.2 rule 4: three answers are kept; earlier ones that are not given again are reset to null", async () => {
  const simulator = await running();
  expect(await answered(simulator)).toEqual([]);
  const { security_questions } = await simulator.ok("POST", PATH, answers(1, 2, 3));
  expect((security_questions as unknown[])[0]).toEqual({
    question_id: 1,
    response: "answer 1",
    security_question: "What was the name of your first pet?",
  });
  expect(await answered(simulator)).toEqual([1, 2, 3]);
  await simulator.ok("POST", PATH, answers(3, 4, 5));
  expect(await answered(simulator)).toEqual([3, 4, 5]);
});

test.each([
  { body: answers(1, 2), field: "security_questions", why: "exactly three" },
  { body: answers(1, 2, 3, 4), field: "security_questions", why: "exactly three" },
  { body: answers(1, 2, 2), field: "security_questions", why: "unique" },
  { body: answers(1, 2, 99), field: "security_questions.2.question_id", why: "no such question" },
  { body: {}, field: "security_questions", why: "required" },
  {
    body: { security_questions: answers(1, 2, 3).security_questions.with(1, { question_id: 2, response: "ab" }) },
    field: "security_questions.1.response",
    why: "3 to 17 characters",
  },
  {
    body: {
      security_questions: answers(1, 2, 3).security_questions.with(0, { question_id: 1, response: "a".repeat(18) }),
    },
    field: "security_questions.0.response",
    why: "3 to 17 characters",
  },
])("part 1 section 4.2 rule 4: answers are refused by $field: $why", async ({ body, field }) => {
  const simulator = await running();
  await simulator.ok("POST", PATH, answers(1, 2, 3));
  const reply = await simulator.call("POST", PATH, body);
  expect([reply.status, reasons(reply)[0]?.split(":")[0]]).toEqual([400, field]);
  expect(await answered(simulator)).toEqual([1, 2, 3]);
});

test("answers are a user's own", async () => {
  const simulator = await running();
  await simulator.ok("POST", PATH, answers(1, 2, 3), { token: "demo-token-restricted" });
  expect(await answered(simulator)).toEqual([]);
});
