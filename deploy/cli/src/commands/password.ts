import { createInterface } from 'node:readline/promises'
import { type Readable, Writable } from 'node:stream'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'

/** Reads the first line of the input, without echo on a terminal. Throws FatalError for none. */
export async function readPassword(input: Readable & { isTTY?: boolean }): Promise<string> {
  const isTerminal = input.isTTY === true
  if (isTerminal) process.stderr.write('Password: ')
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output, terminal: isTerminal })
  try {
    for await (const line of lines) return line
    throw new FatalError('Standard input has no password.')
  } finally {
    lines.close()
    if (isTerminal) process.stderr.write('\n')
  }
}
