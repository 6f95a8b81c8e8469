import type { CofferError } from '@coffer/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { configQuery, meQuery } from '../api/account-queries.ts'
import { useChange } from '../api/changes.ts'
import { coffer } from '../api/client.ts'
import { type Fault, faultOf } from '../api/faults.ts'
import { endReasonOf, knownReason, noteSession } from '../api/live/session-end.ts'
import { solveChallenge } from '../api/proof-of-work.ts'
import { forgetSession } from '../api/query-client.ts'
import { Button } from '../controls/button.tsx'
import { TextField } from '../controls/field.tsx'
import { Form } from '../controls/form.tsx'
import { CodeField, PasswordField } from '../controls/password-field.tsx'
import { formatInstant } from '../format/days.ts'
import { readCode } from '../format/typed-code.ts'
import { currentPreferences, usePreferences } from '../preferences/preferences.ts'
import { signInWords as words } from '../words/sign-in.ts'
import { useReader } from './chosen-account.ts'
import styles from './ended-session.module.css'

type Step = 'password' | 'code'

/** Selector of the input of each step, which gets the focus. */
const entryOf = { password: 'input[type=password]', code: 'input[name=totp]' }

interface Props {
  /** Whether the session has not ended yet, but will soon: until the password is sent, it stays. */
  isEarly: boolean
  /** Runs when the user has signed in again, or keeps the session as it is. */
  onClose: () => void
}

/**
 * Sign-in dialog over a screen whose session has ended elsewhere, or will end soon. The screen
 * stays mounted below, invisible, with all unsaved entries.
 */
export function EndedSession({ isEarly, onClose }: Props) {
  const { data: me } = useQuery({ ...meQuery, enabled: false })
  const { data: config } = useQuery(configQuery)
  const navigate = useNavigate()
  const [step, setStep] = useState<Step>('password')
  const dialog = useRef<HTMLDialogElement>(null)
  const email = me?.user.login.email ?? ''
  useEffect(() => open(dialog.current, step), [step])
  const close = () => {
    noteSession(false)
    onClose()
  }
  const mayCancel = isEarly && step === 'password'
  const why = isEarly ? words.renewText : <Reason />
  const leave = () => {
    // The dialog covers the former screen until the sign-in has replaced it.
    void navigate({ to: '/login', search: {}, ignoreBlocker: true }).then(() => {
      forgetSession()
      close()
    })
  }
  const { fault, isSending, send } = useChange((values: Record<string, string>) =>
    signInAgain(values, email, config?.proofOfWorkEnabled ?? false),
  )
  // In a portal at the end of the body, marked as top layer: an open React Aria dialog makes all
  // else inert, and would make this one inert too.
  return createPortal(
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby="ended-session"
      data-react-aria-top-layer
      data-covers={!isEarly}
      onCancel={(event) => mayCancel || event.preventDefault()}
      // Browsers let Escape close a dialog that prevents it a second time.
      onClose={() => (mayCancel ? close() : open(dialog.current, step))}
    >
      <h2 id="ended-session">{isEarly ? words.renewTitle : words.endedTitle}</h2>
      <p>{step === 'code' ? words.secondFactorText : why}</p>
      <Form
        key={step}
        action={step === 'code' ? words.continue : words.signIn}
        isSending={isSending}
        fault={fault}
        onSubmit={(values) => send(values, (next) => (next === null ? close() : setStep(next)))}
        others={
          mayCancel ? (
            <Button onClick={close}>{words.renewLater}</Button>
          ) : (
            <Button onClick={leave}>{words.startAgain}</Button>
          )
        }
      >
        <Entries step={step} email={email} fault={fault} />
      </Form>
    </dialog>,
    document.body,
  )
}

function open(dialog: HTMLDialogElement | null, step: Step): void {
  if (!dialog?.open) dialog?.showModal()
  dialog?.querySelector<HTMLElement>(entryOf[step])?.focus()
}

/** Says why the session has ended. The text stays when the password has begun another session. */
function Reason() {
  const { data: me } = useQuery({ ...meQuery, enabled: false })
  const reader = useReader()
  const isForeign = usePreferences().isForeign === true
  const expiresAt = me?.sessionExpiresAt ?? null
  const [text] = useState(() => {
    const reason = knownReason() ?? endReasonOf(expiresAt, Date.now())
    const at = expiresAt === null ? '' : formatInstant(expiresAt, reader)
    return words.endedText({ reason, at, isForeign })
  })
  return text
}

/** The inputs of a step. */
function Entries({ step, email, fault }: { step: Step; email: string; fault: Fault | null }) {
  if (step === 'code') return <CodeField fault={fault?.problems.totp} />
  return (
    <>
      <TextField label={words.email} name="email" value={email} autoComplete="username" readOnly />
      <PasswordField autoComplete="current-password" fault={fault?.problems.password} />
    </>
  )
}

/** Signs in by password, or by a code after it. Returns the next required step, if any. */
async function signInAgain(
  { password, totp }: Record<string, string>,
  email: string,
  isProofNeeded: boolean,
): Promise<Step | null> {
  if (totp !== undefined) {
    await coffer.completeSignIn({ body: { totp: readCode(totp) } })
    return null
  }
  const solved = await solveChallenge('login', isProofNeeded)
  const isForeignDevice = currentPreferences().isForeign === true
  const body = { email, password, isForeignDevice, ...solved } as Parameters<
    typeof coffer.signIn
  >[0]['body']
  return await coffer.signIn({ body }).then(
    () => null,
    (error: CofferError) => {
      if (faultOf(error)?.code === 'MFA_REQUIRED') return 'code'
      throw error
    },
  )
}
