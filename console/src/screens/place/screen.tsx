export default function Screen() {
  return <h1>place</h1>;
}
