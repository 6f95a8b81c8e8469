import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { sessionsQuery } from '../../api/security-queries.ts'
import { Asked } from '../../controls/asked.tsx'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import { PasswordField } from '../../controls/password-field.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { formatInstant } from '../../format/days.ts'
import { useReader } from '../../shell/chosen-account.ts'
import { settingsWords as words } from '../../words/settings.ts'

type Proof = { currentPassword: string } | Record<string, never>

/**
 * The sessions of the user. From 15 minutes after the sign-in, the server requires
 * re-authentication.
 */
export function Sessions() {
  const reader = useReader()
  const sessions = useQuery(sessionsQuery)
  const [proof, setProof] = useState('')
  const { send, isSending, fault } = useChange(async (sessionId: string | null) => {
    const body: Proof = proof === '' ? {} : { currentPassword: proof }
    if (sessionId === null) return await coffer.endOtherSessions({ body })
    return await coffer.endSession({ path: { sessionId }, body })
  })
  const isAsked = proof !== '' || fault?.code === 'PROOF_REQUIRED'
  const end = (sessionId: string | null) => send(sessionId, () => setProof(''))
  return (
    <Card title={words.sessions}>
      {fault && <FaultBanner fault={fault} />}
      {isAsked && (
        <PasswordField
          name="sessionProof"
          label={words.proof}
          autoComplete="current-password"
          onChange={setProof}
        />
      )}
      <Asked query={sessions}>
        {(all) => (
          <>
            <ul className={rows.rows}>
              {all.map(({ sessionId, deviceName, ...session }) => (
                <li key={sessionId} className={rows.row}>
                  <div>
                    <p className={rows.name}>
                      {deviceName === null ? words.unknownDevice : deviceText(deviceName)}
                      {session.isCurrent && (
                        <span className={rows.soft}> ({words.thisSession})</span>
                      )}
                    </p>
                    <p className={rows.soft}>
                      {words.lastUsed({ at: formatInstant(session.lastUsedAt, reader) })},{' '}
                      {words.began({ at: formatInstant(session.createdAt, reader) })}
                    </p>
                    <p className={rows.soft}>
                      {words.ends({ at: formatInstant(session.expiresAt, reader) })}
                    </p>
                  </div>
                  {!session.isCurrent && (
                    <Button isBusy={isSending} onClick={() => end(sessionId)}>
                      {words.end}
                    </Button>
                  )}
                </li>
              ))}
            </ul>
            {all.length > 1 && (
              <div className={rows.toolbar}>
                <Button isBusy={isSending} onClick={() => end(null)}>
                  {words.endOthers}
                </Button>
              </div>
            )}
          </>
        )}
      </Asked>
    </Card>
  )
}

/** Translates a stored device name, such as "Firefox on Windows", to the language of the app. */
function deviceText(name: string): string {
  const [browser = '', system] = name.split(' on ')
  return system === undefined ? name : words.deviceOn({ browser, system })
}
