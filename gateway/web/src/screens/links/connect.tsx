import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { faultOf } from '../../api/faults.ts'
import { basePath } from '../../base-path.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Card, Screen } from '../../controls/screen.tsx'
import { linkWords as words } from '../../words/links.ts'
import { linkBank, type Step, startAgain } from './link-bank.ts'
import { PlaidLinkError } from './plaid-link.ts'

/** The page of Plaid Link: it opens Link automatically, and finally returns to the app. */
export function Connect() {
  const [step, setStep] = useState<Step>('opening')
  const { mutate, data, error, isPending, isSuccess } = useMutation({
    mutationFn: () => linkBank(setStep),
    onSuccess: (next) => {
      if (next !== null) location.assign(next)
    },
    networkMode: 'always',
  })
  useEffect(() => mutate(), [mutate])
  const hasLeft = isSuccess && data === null
  const fault = faultOf(error)
  const text = error instanceof PlaidLinkError ? error.message : fault?.text
  const isUpdate = new URLSearchParams(location.search).has('link')
  const next = `${location.pathname}${location.search}`.slice(basePath.length - 1)
  return (
    <main>
      <Screen title={isUpdate ? words.titleUpdate : words.title} isNarrow>
        <Card>
          {isPending && (
            <p role="status" aria-busy="true">
              {words.steps[step]}
            </p>
          )}
          {hasLeft && <p role="status">{words.left}</p>}
          {fault?.status === 401 ? (
            <p role="alert">
              {words.signedOut}{' '}
              <a href={`${basePath}login?next=${encodeURIComponent(next)}`}>{words.signIn}</a>
            </p>
          ) : (
            fault && <FaultBanner fault={{ ...fault, text: text ?? words.failed }} />
          )}
          <div className={rows.toolbar}>
            {(hasLeft || fault) && (
              <Button kind="primary" onClick={() => startAgain(() => mutate())}>
                {words.again}
              </Button>
            )}
            <a href={`${basePath}accounts`}>{words.back}</a>
          </div>
        </Card>
      </Screen>
    </main>
  )
}
