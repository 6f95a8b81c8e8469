import { writeFileSync } from 'node:fs'
import { examplesFile, readExamples } from '@coffer/gateway/openapi/examples'
import { expect, test } from '@jest/globals'
import { record } from './recording.ts'

/** Whether the recording replaces the committed one (`npm run examples`). */
const isWritten = process.env.COFFER_TEST_EXAMPLES === 'write'

test('the examples of the document are answers of today (else: npm run examples)', async () => {
  const recorded = await record()
  if (isWritten) writeFileSync(examplesFile, `${JSON.stringify(recorded, null, 1)}\n`)
  else expect(recorded).toEqual(readExamples())
})
