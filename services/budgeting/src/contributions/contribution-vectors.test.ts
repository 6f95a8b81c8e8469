import { midnightOf } from '@coffer/kit/values/day'
import { expect, test } from '@jest/globals'
import { recalculate } from './contribution.ts'

/**
 * Test vectors of docs/plans.md#contributions. Plan C19 is behind (docs/plans.md#behind).
 *
 * The first line of each: name, timezone, now, rule and next date of the funding, `excluded` if it
 * avoids weekends. The second line: rule and next date of the plan, its target, its amount and its
 * used amount; then e1, e2, the contribution, `behind`, and the due date if it moves. A rule is a
 * key of `rules`, and its start.
 */
const vectors = `
C1 Chicago 2022-06-15T03:37:43Z twice@20211231T060000Z 2022-06-15T05:00Z
    month8@20220708T050000Z 2022-07-08T05:00Z 25000 6960 0 = 0 0 9020
C2 UTC 2022-04-09T12:00Z twice@20211231T000000Z 2022-04-15T00:00Z
    month10@20220410 2022-04-10T00:00Z 1500 0 0 = 1 0 1500 behind
C3 UTC 2022-04-11T12:00Z twice@20211231T000000Z 2022-04-15T00:00Z
    month10@20220410 2022-04-10T00:00Z 1500 0 0 = 0 0 750 due 2022-05-10T00:00Z
C4 UTC 2022-04-14T12:00Z twice@20211231T000000Z 2022-04-15T00:00Z
    weekFR@20220415 2022-04-15T00:00Z 1500 0 0 = 0 3 4500
C5 UTC 2022-04-09T12:00Z twice@20211231T000000Z 2022-04-15T00:00Z
    weekMO@20220411 2022-04-11T00:00Z 5000 5000 0 = 1 2 10000
C6 UTC 2022-04-12T12:00Z twice@20211231T000000Z 2022-04-15T00:00Z
    weekMO@20220411 2022-04-11T00:00Z 5000 0 0 = 0 2 10000 due 2022-04-18T00:00Z
C7 UTC 2022-04-09T12:00Z twice@20211231T000000Z 2022-04-15T00:00Z
    weekMO@20220411 2022-04-11T00:00Z 5000 16000 0 = 1 2 0
C8 UTC 2022-04-15T00:00Z twice@20211231T000000Z 2022-04-30T00:00Z
    weekMO@20220411 2022-04-11T00:00Z 5000 5000 0 = 2 2 10000 behind due 2022-04-18T00:00Z
C9 UTC 2022-04-09T12:00Z twice@20211231T000000Z 2022-04-15T00:00Z
    goal 2022-04-11T00:00Z 5000 16000 0 = 1 0 0
C10 Chicago 2022-01-01T20:00Z twice@20211231T060000Z 2022-01-15T06:00Z
    goal 2022-12-31T06:00Z 12000 0 0 = 0 0 500
C11 Chicago 2022-09-27T19:32Z twice@20211231T060000Z 2022-09-30T05:00Z
    month15@20221015T050000Z 2022-10-15T05:00Z 25000 0 0 = 0 0 12500
C12 UTC 2025-08-11T12:00Z twice@20211231T000000Z 2025-08-15T00:00Z
    weekFR@20250815 2025-08-15T00:00Z 100 0 0 = 0 3 300
C13 Chicago 2024-10-08T22:15:04Z twice@20230228T060000Z 2024-10-15T05:00Z
    quarter@20230401T050000Z 2024-10-01T05:00Z 20000 0 0 = 0 0 3333 due 2025-01-01T06:00Z
C14 New_York 2025-02-23T05:00Z fortnightWE@20250122T050000Z 2025-03-05T05:00Z
    month22@20250122T050000Z 2025-03-22T04:00Z 20000 0 0 = 0 0 10000
C15 Sydney 2022-02-01T01:00Z month15@20220114T130000Z 2022-02-14T13:00Z
    month14@20220113T130000Z 2022-02-13T13:00Z 5000 0 0 = 1 1 5000 behind
C16 Chicago 2025-05-15T15:28:09Z twice@20241115T060000Z 2025-05-31T05:00Z
    month15@20241115T060000Z 2025-06-15T05:00Z 50000 17890 0 = 0 0 16055
C17 UTC 2022-04-09T12:00Z twice@20211231T000000Z 2022-04-15T00:00Z
    goal 2022-07-01T00:00Z 100000 5000 5000 = 0 0 15000
C18 UTC 2022-04-09T12:00Z twice@20211231T000000Z 2022-04-15T00:00Z
    goal 2022-04-01T00:00Z 10000 2500 0 = 0 0 7500 due 2022-04-01T00:00Z
C19 Chicago 2023-10-09T13:32Z twice@20211231T060000Z 2023-10-15T05:00Z
    month1@20220101T060000Z 2023-10-10T05:00Z 1000 0 0 = 0 0 1000 behind
C20 UTC 2022-04-09T12:00Z twice@20211231T000000Z 2022-04-15T00:00Z
    goal 2022-05-20T00:00Z 10000 0 0 = 0 0 3333
C21 UTC 2022-04-15T00:00Z twice@20211231T000000Z 2022-04-15T00:00Z
    goal 2022-06-01T00:00Z 10000 0 0 = 0 0 2500
C22 UTC 2022-10-01T12:00Z twice@20211231T000000Z 2022-10-14T00:00Z excluded
    goal 2022-10-14T00:00Z 9000 0 0 = 0 1 9000
C23 UTC 2022-04-10T12:00Z month1@20220101 2022-05-01T00:00Z
    month1@20220101 2022-05-01T00:00Z 7000 1000 0 = 0 1 6000
C24 UTC 2022-04-09T17:00Z twice@20211231T000000Z 2022-04-15T00:00Z
    year@20230201 2023-01-01T06:00Z 20000 1454 0 = 0 0 1030
`

const zones: Record<string, string> = {
  Chicago: 'America/Chicago',
  New_York: 'America/New_York',
  Sydney: 'Australia/Sydney',
  UTC: 'UTC',
}

const rules: [RegExp, string][] = [
  [/^twice$/, 'FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15,-1'],
  [/^month(\d+)$/, 'FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=$1'],
  [/^quarter$/, 'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=1'],
  [/^week(\w\w)$/, 'FREQ=WEEKLY;INTERVAL=1;BYDAY=$1'],
  [/^fortnight(\w\w)$/, 'FREQ=WEEKLY;INTERVAL=2;BYDAY=$1'],
  [/^year$/, 'FREQ=YEARLY;INTERVAL=1;BYMONTH=2;BYMONTHDAY=1'],
]

function rulesetOf(text: string): string {
  const [name = '', start] = text.split('@')
  const [pattern, rule] = rules.find(([one]) => one.test(name)) ?? []
  if (!pattern || !rule) throw new Error(`no rule is called ${name}`)
  return `DTSTART:${start}\nRRULE:${name.replace(pattern, rule)}`
}

test.each(vectors.trim().split(/\n(?! )/))('%s', (vector) => {
  const [, zone = '', now = '', fundingRule = '', funding = '', ...rest] = vector.split(/\s+/)
  const timezone = zones[zone] ?? ''
  const equals = rest.indexOf('=')
  const excludeWeekends = rest[0] === 'excluded'
  const [rule = '', next = '', ...amounts] = rest.slice(Number(excludeWeekends), equals)
  const [targetAmount = 0n, currentAmount = 0n, usedAmount = 0n] = amounts.map(BigInt)
  const [e1, e2, amount = '', ...more] = rest.slice(equals + 1)
  const nextRecurrence = new Date(next)
  const found = recalculate(
    {
      ruleset: rule === 'goal' ? null : rulesetOf(rule),
      targetAmount,
      currentAmount,
      usedAmount,
      nextRecurrence,
    },
    { ruleset: rulesetOf(fundingRule), excludeWeekends, nextRecurrence: new Date(funding) },
    { timezone, now: new Date(now) },
  )
  expect(found).toMatchObject({
    duesBeforeFunding: Number(e1),
    duesAfterFunding: Number(e2),
    nextContributionAmount: BigInt(amount),
    isBehind: more.includes('behind'),
    due: more.includes('due') ? new Date(more.at(-1) ?? '') : midnightOf(nextRecurrence, timezone),
  })
})
