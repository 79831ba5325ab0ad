import { quoteForShell } from '@muster/contract';
import { defaultSitePort } from './site-address.ts';

interface Deployment {
  readonly name: string;
  /** Of the service. */
  readonly url: string;
  /** True if a token was made for it; otherwise it joins with one that the reader has. */
  readonly hasJoinToken: boolean;
}

/** What a person does next to deploy a core instance, in lines. */
export function deploymentSteps({ name, url, hasJoinToken }: Deployment): string[] {
  const [quotedName, quotedURL] = [quoteForShell(name), quoteForShell(url)];
  const which = hasJoinToken ? 'the token above' : 'the project token of this command';
  const file = '/etc/muster/core-instance.token';
  const release = toReleaseName(name);
  return [
    ...(hasJoinToken ? ['The token is shown once and expires in an hour: join until then.'] : []),
    '',
    'Recommended, on a Linux host with systemd, as root, after the Debian package of Muster is installed:',
    `  muster core-instance install --url ${quotedURL} --name ${quotedName}`,
    `It asks for ${which}.`,
    '',
    `If the host runs only containers, with the image muster (to build it: docker build -f deploy/Dockerfile -t muster .), and with ${which} in the file ${file}, readable by the user 1000 alone:`,
    '  docker run --detach --name muster-core-instance --restart unless-stopped \\',
    `    -p ${defaultSitePort}:${defaultSitePort} -e PORT=${defaultSitePort} -v muster-core-instance:/data -v ${file}:/run/secrets/token:ro \\`,
    `    muster core-instance start --url ${quotedURL} --name ${quotedName} --token-file /run/secrets/token \\`,
    `    --state-directory /data --listen 0.0.0.0:${defaultSitePort}`,
    '',
    `If the agents run in Kubernetes, in a checkout of Muster, with ${which} in the file ${release}.token, and with the image in your registry in the place of REGISTRY and TAG:`,
    `  kubectl create secret generic ${release} --from-file=token=${release}.token`,
    `  helm install ${release} deploy/helm/muster-core-instance --set url=${quotedURL} \\`,
    `    --set-string name=${quotedName} --set token.secretName=${release} \\`,
    '    --set image.repository=REGISTRY/muster --set-string image.tag=TAG',
    '',
    `Then agents report to port ${defaultSitePort} of that host with the tokens that they have. To see it join, run: muster core-instance get ${quotedName}`,
  ];
}

/** A name for objects of Kubernetes and releases of Helm (RFC 1123 label, at most 53 characters). */
function toReleaseName(name: string): string {
  const label = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 53)
    .replace(/^-+|-+$/g, '');
  return label === '' ? 'core-instance' : label;
}
