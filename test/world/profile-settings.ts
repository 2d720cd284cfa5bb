/** What a user has besides the profile: preferences, and answers to security questions. */
import type { Json, JsonObject } from "../../src/api/types.ts";

export interface ProfileSettings {
  preferences: JsonObject;
  /** Answers by the number of their question. */
  answers: Record<string, string>;
  /** How the questions are shown, where a test wants another form. */
  show?: (answer: { security_questions: JsonObject[] }) => Json;
}

/** The answer to a request below /profile; undefined for what is none of these. */
export function serveProfileSettings(
  settings: ProfileSettings,
  { method, path, body }: { method: string; path: string; body: JsonObject },
): Json | undefined {
  if (path === "/profile/preferences") {
    if (method === "PUT") settings.preferences = body;
    return settings.preferences;
  }
  if (path !== "/profile/security-questions") return undefined;
  if (method === "POST") {
    const given = body["security_questions"] as { question_id: number; response: string }[];
    settings.answers = Object.fromEntries(given.map((one) => [one.question_id, one.response]));
    return body;
  }
  const questions = [1, 2, 3, 4, 5].map((id) => {
    return { id, question: `Question ${id}?`, response: settings.answers[id] ?? null };
  });
  return (settings.show ?? ((answer) => answer))({ security_questions: questions });
}
