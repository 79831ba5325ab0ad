/** How often a property is tried: a tenth of the rounds in `npm test`, all of them in `npm run test:explore`. */
export function rounds(all: number): number {
  return process.env.MUSTER_TEST_EXPLORE === 'true' ? all : Math.ceil(all / 10);
}
