/** Calls a step page by page; it returns the last key of its page, null after the last page. */
export async function eachPage(step: (after: string[]) => Promise<string[] | null>): Promise<void> {
  let after: string[] | null = []
  while (after !== null) after = await step(after)
}
