import { AsyncLocalStorage } from 'node:async_hooks'
import { runProgram } from '../src/program/program.ts'

/** The output of a command, and its exit code; null when a signal ended it. */
export type Outcome = { code: number | null; stdout: string; stderr: string }

const outputs = new AsyncLocalStorage<{ stdout: string; stderr: string }>()

/**
 * Runs a command to its end in this process; a new process would take a second to load code.
 * Captures what the command writes, apart from the test and from commands that run meanwhile.
 */
export async function runHere(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  captureOutput()
  const output = { stdout: '', stderr: '' }
  const code = await outputs.run(output, () => runProgram(args, env))
  return { code, ...output }
}

let isCapturing = false

/** Captures the output of a run; passes all other output through. */
function captureOutput(): void {
  if (isCapturing) return
  isCapturing = true
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = process[name]
    const { write } = stream
    stream.write = (...args: [unknown]) => {
      const output = outputs.getStore()
      if (!output) return Reflect.apply(write, stream, args)
      output[name] += args[0]
      return true
    }
  }
}
