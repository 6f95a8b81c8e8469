import { test } from '@jest/globals'
import { startKillable } from './interrupted.ts'
import { prepareKeyRotation } from './killed-rotation.ts'
import { prepareAccountDeletion, prepareCleanUp, prepareWriteWithoutPlan } from './killed-writes.ts'

test('a clean-up, an event, a rotation of keys and a deletion survive a kill', async () => {
  await using killable = await startKillable()
  // The kill follows the last act at once: a clean-up and a deletion soon end.
  const cases = [
    prepareKeyRotation,
    (of: typeof killable) => prepareWriteWithoutPlan(of, true),
    prepareCleanUp,
    prepareAccountDeletion,
  ]
  await killable.interrupt(cases, { isPublished: true })
})
