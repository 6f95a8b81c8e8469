import { started } from '@coffer/host/testing/started'
import { test } from '@jest/globals'
import { type Killable, startKillable } from './interrupted.ts'
import { prepareHourlyJob } from './killed-advance.ts'
import { prepareKeyRotation } from './killed-rotation.ts'
import { prepareRuleRun } from './killed-rule-runs.ts'
import { prepareTimezoneRequest, prepareTimezoneSteps } from './killed-timezone.ts'
import { prepareGroupImport, prepareGroupUndo } from './killed-upload-group.ts'
import {
  prepareAccountDeletion,
  prepareCleanUp,
  prepareLinkDeletion,
  prepareWriteWithoutPlan,
} from './killed-writes.ts'

const killable = started(() => startKillable())

test('an hourly job, and changes between commit and publishing, survive a kill', async () => {
  const cases = [
    prepareLinkDeletion,
    prepareTimezoneRequest,
    (of: Killable) => prepareWriteWithoutPlan(of, false),
    prepareHourlyJob,
  ]
  await killable.interrupt(cases, { isPublished: false })
})

test('a clean-up, an event, a rotation of keys and a deletion survive a kill', async () => {
  // The kill follows the last act at once: a clean-up and a deletion soon end.
  const cases = [
    prepareKeyRotation,
    (of: Killable) => prepareWriteWithoutPlan(of, true),
    prepareCleanUp,
    prepareAccountDeletion,
  ]
  await killable.interrupt(cases, { isPublished: true })
})

test('a change of the timezone survives a kill at each of its steps', async () => {
  await killable.interrupt([prepareTimezoneSteps], { isPublished: true })
})

test.each([false, true])('a run of rules survives a kill between two pages (undo: %s)', (isUndo) =>
  killable.interrupt([(of) => prepareRuleRun(of, isUndo)], { isPublished: true }),
)

test.each([false, true])('a file of several accounts survives a kill (between imports: %s)', (is) =>
  killable.interrupt([(of) => prepareGroupImport(of, is)], { isPublished: is }),
)

test('the undo of a file of several accounts survives a kill before its commit', () =>
  killable.interrupt([prepareGroupUndo], { isPublished: true }))
