interface NamedSetting {
  readonly variable: string;
}

/** Settings that need one another. */
type RelatedSettings<Setting extends NamedSetting> = Readonly<
  Record<
    | 'databaseUrl'
    | 'readDatabaseUrl'
    | 'tlsCert'
    | 'tlsKey'
    | 'oidcIssuer'
    | 'oidcAudience'
    | 'oidcRoles'
    | 'oidcClientID'
    | 'oidcClientSecret'
    | 'publicUrl'
    | 'smtpUrl'
    | 'smtpFrom',
    Setting
  >
>;

/**
 * A sentence for each setting that lacks another one.
 *
 * @param nameOf the flag or the variable with which a setting was given; undefined if it was not.
 */
export function explainIncomplete<Setting extends NamedSetting>(
  nameOf: (setting: Setting) => string | undefined,
  settings: RelatedSettings<Setting>,
): string[] {
  const { databaseUrl, readDatabaseUrl, tlsCert, tlsKey, smtpUrl, smtpFrom, publicUrl } = settings;
  const { oidcIssuer, oidcAudience, oidcRoles, oidcClientID, oidcClientSecret } = settings;
  const explainHalf = (one: Setting, other: Setting): string[] => {
    const [first, second] = [nameOf(one), nameOf(other)];
    if ((first === undefined) === (second === undefined)) return [];
    const missing = first === undefined ? one : other;
    return [`${first ?? second} is set, but ${missing.variable} is not: set both or none.`];
  };
  const faults = [...explainHalf(tlsCert, tlsKey), ...explainHalf(smtpUrl, smtpFrom)];
  const reading = nameOf(readDatabaseUrl);
  if (reading !== undefined && nameOf(databaseUrl) === undefined) {
    faults.push(
      `${reading} is set, but ${databaseUrl.variable} is not: the embedded database has no standby. Set ${databaseUrl.variable} to the primary, or take ${reading} out.`,
    );
  }
  const [issuer, audience, client] = [nameOf(oidcIssuer), nameOf(oidcAudience), nameOf(oidcClientID)];
  if (issuer === undefined && audience !== undefined) {
    faults.push(`${audience} is set, but ${oidcIssuer.variable} is not: set both or none.`);
  }
  if (issuer !== undefined && audience === undefined && client === undefined) {
    faults.push(
      `${issuer} is set, but neither ${oidcAudience.variable} nor ${oidcClientID.variable} is: set the audience of access tokens that programs send, the client with which people sign in to a browser, or both.`,
    );
  }
  const roles = nameOf(oidcRoles);
  if (roles !== undefined && issuer === undefined && audience === undefined) {
    faults.push(
      `${roles} is set, but ${oidcIssuer.variable} is not: without an identity provider, roles are given with 'muster member'.`,
    );
  }
  const secret = nameOf(oidcClientSecret);
  if (client === undefined && secret !== undefined) {
    faults.push(`${secret} is set, but ${oidcClientID.variable} is not: set both, or only the id.`);
  }
  if (client !== undefined) {
    const missing = [oidcIssuer, publicUrl].filter((setting) => nameOf(setting) === undefined);
    faults.push(
      ...missing.map(
        ({ variable }) => `${client} is set, but ${variable} is not: sign-in with a browser needs it.`,
      ),
    );
  }
  return faults;
}
