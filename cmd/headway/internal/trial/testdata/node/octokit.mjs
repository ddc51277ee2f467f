import { Octokit } from "@octokit/rest";
import { base, check, run } from "./calls.mjs";

const octokit = new Octokit({ baseUrl: base, auth: "token-of-octokit" });

// A call is a list of five pages. All of them must come from the base URL: where the Link fields led is in response.url.
await run(async (n) => {
  const issues = await octokit.paginate("GET /repos/{owner}/{repo}/issues", { owner: "octo", repo: `repo${n}` }, (response) => {
    check(response.url.startsWith(`${base}/`), `a page came from ${response.url}`);
    return response.data;
  });
  check(issues.length === 10, `${issues.length} issues`);
  check(new Set(issues.map((issue) => issue.number)).size === 10, "an issue twice");
  check(issues.every((issue) => issue.title === `of repo${n}`), "an issue of another list");
});
