import { useState } from 'react'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Button } from '../../controls/button.tsx'
import { CopyButton } from '../../controls/copy-button.tsx'
import { Form } from '../../controls/form.tsx'
import { CodeField, PasswordField } from '../../controls/password-field.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { readCode } from '../../format/typed-code.ts'
import { fewCodesMax, settingsWords as words } from '../../words/settings.ts'
import { QrPicture } from './qr-picture.tsx'
import styles from './settings.module.css'

interface Secret {
  uri: string
  recoveryCodes: string[]
}

interface Standing {
  isOn: boolean
  /** Number of unused recovery codes; null without a second factor. */
  codesLeft: number | null
}

/** Second factor: set-up with a QR code, recovery codes, and removal. */
export function SecondFactor({ isOn, codesLeft }: Standing) {
  const [secret, setSecret] = useState<Secret | null>(null)
  const [codes, setCodes] = useState<string[]>([])
  const isSettingUp = secret !== null && !isOn
  return (
    <Card title={words.secondFactor}>
      {isOn && <p>{words.secondFactorOn}</p>}
      {isOn && codesLeft !== null && <CodesLeft count={codesLeft} />}
      {!isOn && <p>{isSettingUp ? words.secondFactorBegun : words.secondFactorOff}</p>}
      {isOn && secret !== null && <p role="status">{words.secondFactorSet}</p>}
      {codes.length > 0 && <Codes codes={codes} />}
      {isSettingUp && (
        <Confirm
          secret={secret}
          onDone={() => setCodes(secret.recoveryCodes)}
          onCancel={() => setSecret(null)}
        />
      )}
      {!isOn && !isSettingUp && <Begin onBegun={setSecret} />}
      {isOn && <Others onReplaced={setCodes} />}
    </Card>
  )
}

function Begin({ onBegun }: { onBegun: (secret: Secret) => void }) {
  const { send, isSending, fault } = useChange(async (currentPassword: string) => {
    return (await coffer.setUpTotp({ body: { currentPassword } })).data
  })
  return (
    <Form
      action={words.setUp}
      isSending={isSending}
      fault={fault}
      onSubmit={({ currentPassword = '' }) => send(currentPassword, onBegun)}
    >
      <PasswordField
        name="currentPassword"
        label={words.currentPassword}
        autoComplete="current-password"
        fault={fault?.problems.currentPassword}
      />
    </Form>
  )
}

interface Setup {
  secret: Secret
  onDone: () => void
  onCancel: () => void
}

function Confirm({ secret, onDone, onCancel }: Setup) {
  const { send, isSending, fault } = useChange((totp: string) =>
    coffer.confirmTotp({ body: { totp: readCode(totp) } }),
  )
  const key = new URL(secret.uri).searchParams.get('secret') ?? ''
  return (
    <>
      <p>{words.scan}</p>
      <QrPicture text={secret.uri} label={words.picture} />
      <p>
        <a href={secret.uri}>{words.openHere}</a>
      </p>
      <p>
        {words.key}: <code className={styles.code}>{key.match(/.{1,4}/g)?.join(' ')}</code>
      </p>
      <p>
        <CopyButton text={key} label={words.key} />
      </p>
      <Codes codes={secret.recoveryCodes} />
      <Form
        action={words.confirm}
        isSending={isSending}
        fault={fault}
        onSubmit={({ totp = '' }) => send(totp, onDone)}
        onCancel={onCancel}
      >
        <CodeField inputMode="numeric" fault={fault?.problems.totp} />
      </Form>
    </>
  )
}

function CodesLeft({ count }: { count: number }) {
  const isFew = count <= fewCodesMax
  return (
    <p className={isFew ? styles.faulty : rows.soft}>
      {isFew ? words.codesFew({ count }) : words.codesLeft({ count })}
    </p>
  )
}

function Codes({ codes }: { codes: string[] }) {
  return (
    <section aria-label={words.codes}>
      <h3>{words.codes}</h3>
      <p className={rows.soft}>{words.codesText}</p>
      <ul className={styles.codes}>
        {codes.map((code) => (
          <li key={code} className={styles.code}>
            {code}
          </li>
        ))}
      </ul>
      <div className={rows.toolbar}>
        <CopyButton text={codes.join('\n')} label={words.codes} />
      </div>
    </section>
  )
}

function Others({ onReplaced }: { onReplaced: (codes: string[]) => void }) {
  const [intent, setIntent] = useState<'replace' | 'disable' | null>(null)
  const { send, isSending, fault } = useChange(async (currentPassword: string) => {
    const body = { currentPassword }
    if (intent === 'replace')
      return (await coffer.replaceRecoveryCodes({ body })).data.recoveryCodes
    await coffer.disableTotp({ body })
    return []
  })
  if (intent === null) {
    return (
      <div className={rows.toolbar}>
        <Button onClick={() => setIntent('replace')}>{words.replace}</Button>
        <Button kind="danger" onClick={() => setIntent('disable')}>
          {words.disable}
        </Button>
      </div>
    )
  }
  return (
    <Form
      action={intent === 'replace' ? words.replace : words.disable}
      isDanger={intent === 'disable'}
      isSending={isSending}
      fault={fault}
      onSubmit={({ currentPassword = '' }) =>
        send(currentPassword, (codes) => {
          onReplaced(codes)
          setIntent(null)
        })
      }
      onCancel={() => setIntent(null)}
    >
      <PasswordField
        name="currentPassword"
        label={words.currentPassword}
        autoComplete="current-password"
        fault={fault?.problems.currentPassword}
      />
    </Form>
  )
}
