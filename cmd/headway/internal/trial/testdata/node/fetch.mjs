import { base, check, run } from "./calls.mjs";

await run(async (n) => {
  const response = await fetch(`${base}/items/${n}`);
  check(response.ok, `status ${response.status}`);
  check((await response.json()).number === n, "the response to another request");
});
