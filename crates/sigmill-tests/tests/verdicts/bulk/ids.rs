//! Verdicts keep the caller's ids.

use sigmill::Error;
use sigmill::bulk::{Column, Engine, Id, Ids, Rows};

#[test]
fn ids_are_kept() {
    let row = super::valid_row(2, 9);
    let bad = [0_u8; 64];
    let row = row.row();
    let mut rows = [row; 3];
    rows[1].signature = &bad;
    let engine = Engine::builder().build().unwrap();
    let verdicts = engine.verify(&Rows::from(&rows[..]));
    let ids: Vec<_> = verdicts.iter().collect();
    let error = Err(Error::RZero);
    assert_eq!(
        ids,
        [
            (Id::Number(0), Ok(())),
            (Id::Number(1), error),
            (Id::Number(2), Ok(()))
        ]
    );
    let named = |ids| engine.verify(&Rows::from(&rows[..]).ids(ids).unwrap());
    let verdicts = named(Ids::Numbers(&[70, 80, 90]));
    let rejected: Vec<_> = verdicts.iter_rejected().collect();
    assert_eq!(rejected, [(1, Id::Number(80), Error::RZero)]);
    let names = [Some(&b"a"[..]), None, Some(b"\xff")];
    let verdicts = named(Ids::Names(Column::optional_slices(&names)));
    let ids: Vec<_> = verdicts.iter().map(|(id, _)| id).collect();
    assert_eq!(ids, [Id::Name(b"a"), Id::Null, Id::Name(b"\xff")]);
    let texts: Vec<String> = ids.iter().map(|id| format!("{id:>2}")).collect();
    assert_eq!(texts, [" a", "  ", " \u{fffd}"]);
    assert_eq!(verdicts.id(3), Id::Null);
    let verdicts = named(Ids::Names(Column::variable(b"xyz", &[0, 1, 1, 3])));
    assert_eq!(verdicts.id(1), Id::Name(b""));
    assert_eq!(verdicts.id(2), Id::Name(b"yz"));
    assert_eq!(format!("{:>4}", Id::Number(7)), "   7");
}
