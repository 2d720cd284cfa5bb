import * as z from "zod";
import { invalid } from "../server/errors.ts";
import { operation } from "../server/operation.ts";
import { text } from "../server/wire.ts";
import { SECURITY_ANSWERS } from "./tables.ts";

const path = "/profile/security-questions";

/** Questions in the order of the IDs, from 1. */
const QUESTIONS = [
  "What was the name of your first pet?",
  "What is the name of your first school?",
  "What was the make of your first car?",
  "What is the name of your favourite teacher?",
  "In what city were you born?",
  "In what street did you grow up?",
  "What was your first job?",
  "What is your favourite book?",
  "Where did you spend your first holiday?",
  "What is the name of your oldest cousin?",
];

const answersBody = z.object({
  security_questions: z
    .array(z.object({ question_id: z.int(), response: text(3, 17) }))
    .length(3, "Exactly three answers are required"),
});

/** Serves the user's security questions (part 1 section 4.2 rule 4, not-shown section 6). */
export const securityQuestionOperations = [
  operation({
    method: "GET",
    path,
    summary: "List security questions with the user's responses",
    scopes: ["account:read_only"],
    handler({ world, account, caller: { user } }) {
      const security_questions = QUESTIONS.map((question, index) => {
        const id = index + 1;
        const answer = world.store.get(SECURITY_ANSWERS, account, `${user.username} ${id}`);
        return { id, question, response: answer?.response ?? null };
      });
      return { security_questions };
    },
  }),
  operation({
    method: "POST",
    path,
    summary: "Answer three security questions; earlier responses go",
    scopes: ["account:read_write"],
    body: answersBody,
    handler({ world, account, caller: { user }, body: { security_questions: answers } }) {
      checkQuestions(answers.map(({ question_id }) => question_id));
      for (const earlier of world.store.children(SECURITY_ANSWERS, account, user.username))
        world.store.remove(SECURITY_ANSWERS, account, SECURITY_ANSWERS.key(earlier));
      for (const { question_id: question, response } of answers)
        world.store.put(SECURITY_ANSWERS, account, { username: user.username, question, response });
      const withText = answers.map(({ question_id, response }) => {
        return { question_id, response, security_question: QUESTIONS[question_id - 1] };
      });
      return { security_questions: withText };
    },
  }),
];

function checkQuestions(ids: readonly number[]): void {
  if (new Set(ids).size < ids.length) throw invalid("security_questions", "The questions must be unique");
  const unknown = ids.findIndex((id) => QUESTIONS[id - 1] === undefined);
  if (unknown >= 0) throw invalid(`security_questions.${unknown}.question_id`, "There is no such question");
}
