import OpenAI from "openai";
import { base, check, run } from "./calls.mjs";

const options = { baseURL: `${base}/v1`, apiKey: "key-of-openai" };
if (process.argv[5] === "no-retries") options.maxRetries = 0;
const client = new OpenAI(options);

// Every second call is streamed. The server answers with the question.
await run(async (n) => {
  const question = { model: "echo", messages: [{ role: "user", content: `question ${n}` }] };
  let answer = "";
  if (n % 2 === 0) {
    answer = (await client.chat.completions.create(question)).choices[0].message.content;
  } else {
    const stream = await client.chat.completions.create({ ...question, stream: true });
    for await (const chunk of stream) answer += chunk.choices[0]?.delta?.content ?? "";
  }
  check(answer === `question ${n}`, `the answer is ${answer}`);
});
