//! Medians and quartiles of the rounds, and ratios formed round by round.

/// The `fraction` quantile of `values` (0 = smallest, 0.5 = median, 1 = largest), interpolated
/// linearly between neighbours; `None` if there are no values or one is not a number.
pub(crate) fn quantile(values: &[f64], fraction: f64) -> Option<f64> {
    if values.is_empty() || values.iter().any(|v| v.is_nan()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let position = fraction.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let below = position.floor() as usize;
    let above = position.ceil() as usize;
    let part = position - below as f64;
    Some(sorted[below] * (1.0 - part) + sorted[above] * part)
}

/// The middle value; for an even count the mean of the middle two.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// How many times faster `costs` is than `base`, round by round: `base[i] / costs[i]`. Both hold
/// the cost of one operation in the same unit, one entry per round.
pub(crate) fn ratios(base: &[f64], costs: &[f64]) -> Vec<f64> {
    base.iter().zip(costs).map(|(b, c)| b / c).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_odd_and_even_counts() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[7.0]), Some(7.0));
    }

    #[test]
    fn nothing_and_not_a_number_have_no_median() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn one_outlier_does_not_move_the_median() {
        let calm = median(&[10.0, 11.0, 12.0, 13.0, 14.0]);
        let noisy = median(&[10.0, 11.0, 12.0, 13.0, 9_000.0]);
        assert_eq!(calm, noisy);
    }

    #[test]
    fn quartiles_interpolate() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!(quantile(&values, 0.25), Some(2.0));
        assert_eq!(quantile(&values, 0.75), Some(4.0));
        assert_eq!(quantile(&values, 0.0), Some(1.0));
        assert_eq!(quantile(&values, 1.0), Some(5.0));
        assert_eq!(quantile(&[0.0, 1.0], 0.25), Some(0.25));
    }

    #[test]
    fn ratios_are_formed_inside_each_round() {
        // The machine is three times slower in the second round; the ratio does not change.
        let base = [100.0, 300.0, 100.0];
        let ours = [25.0, 75.0, 25.0];
        assert_eq!(ratios(&base, &ours), vec![4.0, 4.0, 4.0]);
        assert_eq!(median(&ratios(&base, &ours)), Some(4.0));
    }
}
