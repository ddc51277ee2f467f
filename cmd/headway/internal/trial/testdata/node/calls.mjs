// Command line: the base URL, the number of calls, how many at once.
export const base = process.argv[2];
const calls = Number(process.argv[3]);
const atOnce = Number(process.argv[4]);

// run makes all calls, and prints how many failed. call gets a number of its own, and throws if it fails.
export async function run(call) {
  let next = 0;
  let failed = 0;
  const worker = async () => {
    while (next < calls) {
      const n = next++;
      try {
        await call(n);
      } catch (error) {
        console.error(String(error));
        failed++;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  console.log(JSON.stringify({ calls, failed }));
}

export function check(isRight, what) {
  if (!isRight) throw new Error(what);
}
