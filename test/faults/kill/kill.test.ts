import { test } from '@jest/globals'
import { startKillable } from './interrupted.ts'
import { prepareHourlyJob } from './killed-advance.ts'
import { prepareLinkDeletion, prepareWriteWithoutPlan } from './killed-writes.ts'

test('an hourly job, and changes between commit and publishing, survive a kill', async () => {
  await using killable = await startKillable()
  const cases = [
    prepareLinkDeletion,
    (of: typeof killable) => prepareWriteWithoutPlan(of, false),
    prepareHourlyJob,
  ]
  await killable.interrupt(cases, { isPublished: false })
})
