import { runProgram } from '../src/program.ts'

/** The output of a command, and its exit code; null when a signal ended it. */
export type Outcome = { code: number | null; stdout: string; stderr: string }

/**
 * Runs a command to its end in this process; a new process would take a second to load code.
 * Captures standard output, so calls must not overlap.
 */
export async function runHere(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  using stdout = takeOutput(process.stdout)
  using stderr = takeOutput(process.stderr)
  const code = await runProgram(args, env)
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function takeOutput(stream: NodeJS.WriteStream) {
  const { write } = stream
  let taken = ''
  stream.write = (chunk: unknown) => {
    taken += chunk
    return true
  }
  return {
    text: () => taken,
    [Symbol.dispose]: () => {
      stream.write = write
    },
  }
}
